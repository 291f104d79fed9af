import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import openapiTypes, { astToString } from 'openapi-typescript';
import { expect, onTestFinished, test } from 'vitest';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { newCustomer, newKey } from '../money/accountSupport.ts';

/* A backend whose types come from the OpenAPI document, by openapi-typescript with its usual options, and whose requests openapi-fetch sends. */

const run = promisify(execFile);
const packages = fileURLToPath(new URL('../../../node_modules', import.meta.url));

const program = `
import createClient from 'openapi-fetch';
import type { components, paths } from './openapi.js';

const [, , url = '', secret = ''] = process.argv;
const client = createClient<paths>({ baseUrl: url + '/api/v1', headers: { Authorization: 'Bearer ' + secret } });

// Only the name is required. The rest has defaults.
const created = await client.POST('/rooms', { body: { name: 'Lesson', settings: { waitingRoom: true } } });
if (!created.data) throw new Error(created.error.message);
const room: components['schemas']['Room'] = created.data;
const page = await client.GET('/rooms', { params: { query: { status: 'waiting' } } });
const names = page.data?.data.map(({ name }) => name);
const ended = await client.POST('/rooms/{id}/end', { params: { path: { id: room.id } } });

// @ts-expect-error the setting is a boolean
const refused = await client.POST('/rooms', { body: { name: 'Lesson', settings: { waitingRoom: 'yes' } } });
const refusal = refused.response.status === 422 ? (refused.error as components['schemas']['InvalidError']) : null;
const missing = await client.GET('/rooms/{id}', { params: { path: { id: 'room_' + '0'.repeat(24) } } });

console.log(JSON.stringify({
  settings: [room.settings.waitingRoom, room.settings.emptyTimeout],
  names,
  ended: ended.data?.status,
  refusal: [refusal?.error, refusal?.details?.[0]?.path],
  missing: missing.error?.error,
}));
`;

test('a client generated from the OpenAPI document has named types, and runs', async () => {
  const server = await ServerProcess.start();
  onTestFinished(() => server.dispose());
  const folder = await mkdtemp(join(tmpdir(), 'parley-client-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await symlink(packages, join(folder, 'node_modules'));
  const types = await openapiTypes(new URL(`${server.url}/api/v1/openapi.json`));
  await writeFile(join(folder, 'openapi.d.ts'), astToString(types));
  await writeFile(join(folder, 'program.ts'), program);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { strict: true, module: 'nodenext', target: 'es2023', types: ['node'], noEmit: true },
      include: ['.'],
    }),
  );
  const compiler = join(packages, 'typescript-native/bin/tsc');
  const checked = await run(process.execPath, [compiler, '-p', folder]).catch((error: unknown) => error);
  expect((checked as { stdout: string }).stdout).toBe('');

  const scopes = ['rooms:read', 'rooms:write'] as const;
  const { secret } = await newKey(server.url, await newCustomer(server.url), { scopes: [...scopes] });
  const options = { cwd: folder };
  const { stdout } = await run(
    process.execPath,
    ['--import', 'tsx', 'program.ts', server.url, secret],
    options,
  );
  expect(JSON.parse(stdout)).toEqual({
    settings: [true, 300],
    names: ['Lesson'],
    ended: 'ended',
    refusal: ['validation_failed', 'settings.waitingRoom'],
    missing: 'not_found',
  });
}, 120_000);
