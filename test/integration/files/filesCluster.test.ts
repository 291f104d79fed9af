import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openBucket } from '../../../server/compose/createFiles.ts';
import { readConfig } from '../../../server/config/config.ts';
import { twoNodes, type Cluster, type ClusterNode } from '../../harness/nodes/Cluster.ts';
import { RedisServer } from '../../harness/nodes/RedisServer.ts';
import type { Settings } from '../../harness/nodes/ServerProcess.ts';
import { runCommand } from '../../harness/run/runCommand.ts';
import { until } from '../../harness/until.ts';
import { S3Server } from '../../harness/services/S3Server.ts';
import { api, newCustomer, newKey } from '../money/accountSupport.ts';
import { bearer } from '../support.ts';
import { begin, download, patch, picture, post, uploadState } from './mediaSupport.ts';

/* Files of several nodes, shared through S3 or a folder. */

let s3: S3Server;
let redis: RedisServer;
let folder: string;
beforeAll(async () => {
  s3 = await S3Server.start();
  redis = await RedisServer.create({ tls: true });
  folder = await mkdtemp(join(tmpdir(), 'parley-shared-'));
  await writeFile(join(folder, 'redis.pem'), redis.ca ?? '');
});
afterAll(async () => {
  await s3?.close();
  await redis?.dispose();
  await rm(folder, { recursive: true, force: true });
});

const key = 'the first key of this cluster, 0123456789';
const secureSettings = () => ({
  ...s3.settings,
  REDIS_URL: redis.url,
  REDIS_CA_FILE: join(folder, 'redis.pem'),
});

describe.each([
  ['S3, and Redis with TLS', secureSettings],
  ['a shared folder', () => ({ FILES_DIR: folder })],
])('two nodes with %s', (name, settings) => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await twoNodes({ ...settings(), SECRET_KEY: key });
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

  if (name !== 'S3, and Redis with TLS') return;

  it('are backed up with the list of the bucket, and restored into another database', async () => {
    const { postgres, nodes } = cluster;
    const common = { ...secureSettings(), SECRET_KEY: key, CLUSTER_HOST: '127.0.0.1' };
    const archive = join(folder, 'cluster.tar.gz');
    const [DATA_DIR = ''] = nodes.map(({ server }) => server.dataDir);
    const made = await runCommand('backup', [archive], { ...common, DATA_DIR, DATABASE_URL: postgres.url });
    expect(made, made.output).toMatchObject({ code: 0 });
    expect(made.output).toContain('back the bucket up as well');
    const restoreInto = async (database: string, more: Settings = {}) => {
      const DATABASE_URL = postgres.url.replace('/postgres?', `/${database}?`);
      const DATA_DIR = join(folder, database);
      return runCommand('restore', [archive], { ...common, DATA_DIR, DATABASE_URL, ...more });
    };
    const used = await restoreInto('postgres');
    expect([used.code, used.output]).toEqual([1, expect.stringContaining('DATABASE_URL is not empty')]);
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('CREATE DATABASE one; ');
    await client.query('CREATE DATABASE two');
    await client.query('CREATE DATABASE three');
    const restored = await restoreInto('one');
    expect(restored, restored.output).toMatchObject({ code: 0 });
    expect(restored.output).not.toContain('lacks');
    const { rows } = await client.query<{ object_key: string }>('SELECT object_key FROM files');
    const lost = rows[0]?.object_key ?? '';
    await (
      await openBucket(readConfig({ ...s3.settings, NODE_ENV: 'test' }), pino({ level: 'silent' }))
    ).delete(lost);
    expect((await restoreInto('two')).output).toContain(
      `The bucket lacks objects of the backup: ${lost} is missing`,
    );
    const away = await restoreInto('three', { S3_ENDPOINT: 'http://127.0.0.1:1' });
    expect(away).toMatchObject({ code: 0 });
    expect(away.output).toContain(
      'Start the server.\nThe bucket was not compared with the backup. The bucket',
    );
  });

  it('change SECRET_KEY one after the other, and understand each other all the time', async () => {
    const [one, two] = cluster.nodes as [ClusterNode, ClusterNode];
    const [alice, bob] = [
      await cluster.client(undefined, undefined, one),
      await cluster.client(undefined, undefined, two),
    ];
    const { secret } = await newKey(one.server.url, await newCustomer(one.server.url));
    const talk = async (content: string) => {
      await alice.parley.messages.send({ to: bob.address, content, type: 'text' });
      await bob.event('message:received', (message) => message.content === content);
    };
    const both = { SECRET_KEY: 'the second key of this cluster, 9876543210', SECRET_KEY_PREVIOUS: key };
    const restart = async ({ server }: ClusterNode, settings: Settings) => {
      const other = server === one.server ? two.server : one.server;
      const before = other.log.length;
      await server.stop();
      await server.start(settings);
      await until(
        () => other.log.slice(before).includes('media node linked'),
        'a link to the restarted node',
      );
      await until(() => [alice, bob].every(({ parley }) => parley.state === 'connected'), 'both are back');
    };
    const rotate = () =>
      runCommand('rotateKey', [], {
        ...secureSettings(),
        ...both,
        DATABASE_URL: cluster.postgres.url,
        CLUSTER_HOST: '127.0.0.1',
      });
    await talk('with the first key');
    await restart(one, both);
    await talk('one node has both keys');
    expect(await rotate()).toMatchObject({
      code: 1,
      output: expect.stringContaining('do not accept') as string,
    });
    await restart(two, both);
    await talk('both nodes have both keys');
    const done = await rotate();
    expect(done, done.output).toMatchObject({ code: 0 });
    await talk('the second key is in use');
    for (const node of [one, two]) {
      await restart(node, { SECRET_KEY_PREVIOUS: '' });
      await talk('with the second key');
      expect((await api(node.server.url, 'GET', '/account', bearer(secret))).status).toBe(200);
    }
    for (const { server } of [one, two]) expect(server.log).not.toContain('event from Redis refused');
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
