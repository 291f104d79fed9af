import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../server/config/config.ts';
import { twoNodes, type Cluster } from '../../harness/nodes/Cluster.ts';
import { S3Server } from '../../harness/services/S3Server.ts';
import { newCustomer } from '../money/accountSupport.ts';
import { begin, download, patch, picture, post, uploadState } from './mediaSupport.ts';

/* Files of several nodes, shared through S3 or a folder. */

let s3: S3Server;
let folder: string;
beforeAll(async () => {
  s3 = await S3Server.start();
  folder = await mkdtemp(join(tmpdir(), 'parley-shared-'));
});
afterAll(async () => {
  await s3?.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each([
  ['S3', () => s3.settings],
  ['a shared folder', () => ({ FILES_DIR: folder })],
])('two nodes with %s', (_name, settings) => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await twoNodes(settings());
  });
  afterAll(() => cluster?.close());

  it('continue each other’s uploads, and both serve the file', async () => {
    const [one = '', two = ''] = cluster.nodes.map(({ server }) => server.url);
    const alice = await newCustomer(cluster.url());
    const bytes = await picture({ width: 900, height: 600 });
    const half = Math.floor(bytes.length / 2);
    const { id } = await begin(one, alice.app, bytes.length);
    expect((await patch(one, alice.app, id, 0, bytes.subarray(0, half))).status).toBe(204);
    expect((await uploadState(two, alice.app, id)).offset).toBe(half);
    expect((await patch(two, alice.app, id, half, bytes.subarray(half))).status).toBe(204);
    const media = (await uploadState(one, alice.app, id)).media;
    expect(media).toMatchObject({ mimeType: 'image/png', width: 900, height: 600 });
    const address = new URL(media?.url ?? '');
    for (const node of [one, two]) {
      const got = await download(`${node}${address.pathname}${address.search}`, { Range: 'bytes=1-3' });
      expect([got.status, got.bytes.toString()]).toEqual([206, 'PNG']);
    }
  });
});

it('refuses files on nodes without shared file storage', async () => {
  const cluster = await twoNodes();
  try {
    const alice = await newCustomer(cluster.url());
    const reply = await post(cluster.url(), alice.app, await picture());
    expect([reply.status, reply.body.error]).toEqual([503, 'service_unavailable']);
  } finally {
    await cluster.close();
  }
});

it('rejects incomplete storage settings', () => {
  const problemsOf = (env: Record<string, string>) => {
    try {
      readConfig({ NODE_ENV: 'test', ...env });
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const problems = problemsOf({ FILES_DRIVER: 's3', S3_ACCESS_KEY_ID: 'x' });
  expect(problems).toContain('S3_BUCKET: required by FILES_DRIVER=s3');
  expect(problems).toContain('S3_SECRET_ACCESS_KEY: required for files in S3');
  expect(problemsOf({ S3_ENDPOINT: 'http://127.0.0.1:9000' })).toContain('S3_ENDPOINT: requires S3_BUCKET');
  expect(problemsOf({ ...s3.settings, FILES_DIR: '/x' })).toContain('FILES_DIR: not used');
  expect(problemsOf(s3.settings)).toBe('');
});
