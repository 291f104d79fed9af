import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sdkEntries } from '../../scripts/sdkEntries.mjs';
import { blocksOf, readPage, root } from './blocks.ts';

/* The npm package as an app outside this repository installs it. */

const app = mkdtempSync(join(tmpdir(), 'parley-package-'));
const installed = join(app, 'node_modules/@parley/sdk');

beforeAll(() => {
  execFileSync('npm', ['run', 'pack:sdk', '--', '--pack-destination', app], { cwd: root, stdio: 'pipe' });
  const archive = readdirSync(app).find((name) => name.endsWith('.tgz')) ?? '';
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(app, archive), '-C', installed, '--strip-components=1']);
  const { dependencies } = JSON.parse(readPage('sdk/package.json')) as { dependencies: object };
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(app, 'node_modules', name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(app, 'node_modules', name));
  }
  writeFileSync(join(app, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rmSync(app, { recursive: true, force: true }));

const manifest = JSON.parse(readPage('sdk/package.json')) as {
  files: string[];
  exports: Record<string, string | { types: string; default: string }>;
};

/** Runs a script of the app, and returns what it prints. */
function run(script: string): string {
  writeFileSync(join(app, 'script.mjs'), script);
  return execFileSync(process.execPath, ['script.mjs'], { cwd: app, encoding: 'utf8' }).trim();
}

it('contains its license and every file that it names', () => {
  expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toBe(readPage('LICENSE'));
  const links = [...readFileSync(join(installed, 'README.md'), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)];
  const maps = readdirSync(join(installed, 'dist')).flatMap((name) => {
    const script = readFileSync(join(installed, 'dist', name), 'utf8');
    const [, map] = /^\/\/# sourceMappingURL=(.+)$/m.exec(script) ?? [];
    return map ? [`dist/${map}`] : [];
  });
  const exported = Object.values(manifest.exports).flatMap((to) =>
    typeof to === 'string' ? to : Object.values(to),
  );
  const named = [...links.map(([, target = '']) => target), ...maps, ...exported, ...manifest.files];
  expect(maps.length).toBeGreaterThanOrEqual(sdkEntries.length);
  expect(named.filter((path) => !existsSync(join(installed, path)))).toEqual([]);
});

it('exports every entry', () => {
  const names = sdkEntries.map(({ name }) => (name === 'index' ? '.' : `./${name}`));
  expect(Object.keys(manifest.exports)).toEqual(expect.arrayContaining(names));
});

it('can be imported, by require() too, and loads mediasoup-client later', () => {
  const printed = run(`
    import { createRequire } from 'node:module';
    const { Parley, ParleyError } = await import('@parley/sdk');
    const { ParleyHttp, ParleyError: HttpError } = await import('@parley/sdk/http');
    const { verifyWebhook } = await import('@parley/sdk/webhooks');
    const required = createRequire(import.meta.url)('@parley/sdk/webhooks').verifyWebhook;
    const isLoaded = Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('mediasoup'));
    console.log(typeof Parley, typeof ParleyHttp, ParleyError === HttpError, required === verifyWebhook, isLoaded);
  `);
  expect(printed).toBe('function function true true false');
});

it('needs no globals while it is imported and clients are created, as on a server that renders', () => {
  const gone = [
    'crypto',
    'fetch',
    'navigator',
    'AbortSignal',
    'TextDecoder',
    'TextEncoder',
    'structuredClone',
  ];
  const alsoGone = [
    'URL',
    'URLSearchParams',
    'Blob',
    'WebSocket',
    'DOMException',
    'performance',
    'MessageChannel',
  ];
  const printed = run(`
    import '@parley/sdk/http';
    for (const name of ${JSON.stringify([...gone, ...alsoGone])}) delete globalThis[name];
    const { Parley } = await import('@parley/sdk');
    const client = new Parley({ apiKey: '' });
    client.on('call:incoming', () => {});
    await client.calls.getActive().catch(({ code, details }) => console.log(code, details[0].path));
    console.log(client.state);
  `);
  expect(printed.split('\n')).toEqual(['VALIDATION_ERROR baseUrl', 'idle']);
});

it('runs in a worker, where media is not available', () => {
  const printed = run(`
    import { Worker } from 'node:worker_threads';
    const code = "import('@parley/sdk').then(({ Parley }) => postMessage(new Parley({ apiKey: '' }).media.isAvailable))";
    const worker = new Worker("const { parentPort } = require('node:worker_threads'); globalThis.postMessage = (m) => parentPort.postMessage(m); " + code, { eval: true });
    worker.on('message', console.log);
  `);
  expect(printed).toBe('false');
});

it('restores the session of an asynchronous storage', () => {
  const printed = run(`
    import { Parley } from '@parley/sdk';
    const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
    const session = { token: 'x', refreshToken: 'y', walletAddress: address, walletId: address };
    const storage = { getItem: async () => JSON.stringify(session), setItem: async () => {}, removeItem: async () => {} };
    const client = new Parley({ apiKey: '', baseUrl: 'http://127.0.0.1:1', storage });
    console.log(client.session);
    console.log((await client.loadSession()).walletId, client.session.token);
  `);
  expect(printed.split('\n')).toEqual(['null', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8 x']);
});

it.each([
  ['bundler', ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
  ['nodenext', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext],
])('has types with which the example of its README compiles (%s)', (name, module, moduleResolution) => {
  const [example] = blocksOf('sdk/README.md');
  const problems = problemsOf(`${name}.ts`, example?.source ?? '', {
    ...{ module, moduleResolution, types: [] },
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
  });
  expect(problems).toEqual([]);
});

it('has types for backends that need no DOM library', () => {
  const source = `
    import { ParleyHttp, ParleyError, type SentText } from '@parley/sdk/http';
    import { verifyWebhook, type WebhookEvent } from '@parley/sdk/webhooks';
    import '@parley/sdk/parley-push.js';
    const client = new ParleyHttp({ baseUrl: 'https://calls.example.org', auth: { apiKey: 'svc_live_x' } });
    export const send = (to: string): Promise<SentText | object> => client.sms.send({ to, message: 'Hello' });
    export const read = (body: string, request: { headers: Record<string, string> }): Promise<WebhookEvent> =>
      verifyWebhook(body, request.headers, 'whsec_x');
    export const isOurs = (error: unknown) => error instanceof ParleyError && error.code === 'NOT_FOUND';
  `;
  const problems = problemsOf('backend.ts', source, {
    ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    ...{ types: ['node'], typeRoots: [join(root, 'node_modules/@types')], lib: ['lib.es2023.d.ts'] },
  });
  expect(problems).toEqual([]);
});

/** The type errors of a file of the app, and of all declarations that it reads. */
function problemsOf(name: string, source: string, options: ts.CompilerOptions): unknown[] {
  const path = join(app, name);
  writeFileSync(path, source);
  const program = ts.createProgram([path], {
    ...{ strict: true, noEmit: true, skipLibCheck: false, target: ts.ScriptTarget.ES2022 },
    ...options,
  });
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText, file }) => [
      file?.fileName,
      ts.flattenDiagnosticMessageText(messageText, ' ').slice(0, 300),
    ]);
}
