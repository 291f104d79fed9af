import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createClient } from 'redis';
import selfsigned from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createExamined } from '../../../server/compose/createExamined.ts';
import { readConfig, type Config } from '../../../server/config/config.ts';
import type { Examined } from '../../../server/doctor/Examined.ts';
import { examine } from '../../../server/doctor/examine.ts';
import { encode } from '../../../server/doctor/stun.ts';
import { RedisServer } from '../../harness/nodes/RedisServer.ts';
import { freePorts } from '../../harness/nodes/ports.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { installed } from '../../harness/run/installed.ts';

/** An address that no machine has. */
const wrongAddress = '203.0.113.9';

const expired = { notBeforeDate: new Date('2024-01-01'), notAfterDate: new Date('2025-01-01') };

/**
 * A reverse proxy that does not pass WebSockets.
 * @param adds whether it adds headers about the client, or passes on those of the client only
 */
async function startProxy(
  to: number,
  { dates = expired, adds = true } = {},
): Promise<{ proxy: Server; url: string }> {
  const { private: key, cert } = await selfsigned.generate([{ name: 'commonName', value: 'proxy' }], dates);
  const proxy = createServer({ key, cert }, (incoming, outgoing) => {
    const { method, url: path, headers, socket } = incoming;
    const before = headers['x-forwarded-for'];
    const forwarded = {
      'x-forwarded-for': [before ?? [], socket.remoteAddress].flat().join(', '),
      'x-forwarded-proto': 'https',
    };
    const passed = { ...headers, ...(adds ? forwarded : {}) };
    const onward = request({ port: to, method, path, headers: passed }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  proxy.on('upgrade', (_request, socket) => socket.destroy());
  await once(proxy, 'listening');
  return { proxy, url: `https://127.0.0.1:${(proxy.address() as { port: number }).port}` };
}

describe('npm run doctor', () => {
  let server: ServerProcess;
  let proxy: Server;
  let env: Record<string, string>;
  let folder: string;
  let redis: RedisServer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-doctor-'));
    redis = await RedisServer.create();
    const turnPort = await freePorts();
    server = await ServerProcess.reserve(({ port }) => (env = { PORT: String(port) }));
    const front = await startProxy(server.ports.port);
    proxy = front.proxy;
    const { port, mediaPort } = server.ports;
    env = {
      PORT: String(port),
      MEDIA_PORT: String(mediaPort),
      MEDIA_WORKERS: '1',
      DATA_DIR: server.dataDir,
      RTMP_PORT: '0',
      PUBLIC_URL: front.url,
      MEDIA_ANNOUNCED_ADDRESS: wrongAddress,
      TURN: 'auto',
      TURN_PORT: String(turnPort),
      TURN_NAME: '127.0.0.1',
    };
    await server.start(env);
    await server.waitForLog('TURN server is running');
  });
  afterAll(async () => {
    proxy?.close();
    await server?.dispose();
    await redis?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  type Changes = (examined: Examined) => Partial<Examined>;

  /** The errors and warnings about an installation. */
  async function problems(settings: Partial<Config> = {}, changes: Changes = () => ({})) {
    const examined = await createExamined({ ...readConfig(env), ...settings });
    const found = await examine({ ...examined, ...changes(examined) });
    return found.filter(({ level }) => level !== 'ok');
  }

  /** The same, each as the check and what it says to change. */
  const findings = async (settings?: Partial<Config>, changes?: Changes) =>
    (await problems(settings, changes)).map(({ check, level, change }) => `${level} ${check}: ${change}`);

  const onlyOf = (check: string, found: string[]) => found.filter((one) => one.includes(` ${check}: `));

  it('names what is wrong with the address, the proxy, its certificate and the announced address', async () => {
    const found = await findings();
    expect(found.filter((one) => !one.includes('Outgoing'))).toEqual([
      'error Address: TRUST_PROXY',
      'error Address: proxy',
      'error Certificates: certificate of PUBLIC_URL',
      'error Media: MEDIA_ANNOUNCED_ADDRESS',
      'error Media: MEDIA_ANNOUNCED_ADDRESS',
      'warning TURN: TURN_TLS_PORT',
    ]);
  });

  it('names a proxy that adds no headers, and a certificate of the future, once', async () => {
    const dates = { notBeforeDate: new Date('2090-01-01'), notAfterDate: new Date('2091-01-01') };
    const front = await startProxy(server.ports.port, { dates, adds: false });
    const found = await findings({ PUBLIC_URL: front.url });
    front.proxy.close();
    expect(onlyOf('Address', found)).toEqual(['warning Address: proxy', 'error Address: proxy']);
    expect(onlyOf('Certificates', found)).toEqual(['error Certificates: certificate of PUBLIC_URL']);
  });

  it('compares the addresses that are announced with the ones that the internet reaches', async () => {
    const publicUrl = 'https://room127.example.org';
    const announcing = (HOST: string, announced: string[], MEDIA_ANNOUNCED_ADDRESS: string[] = []) =>
      findings({ PUSH: [] }, ({ config }) => ({
        config: { ...config, HOST, MEDIA_ANNOUNCED_ADDRESS },
        publicUrl,
        announced,
        server: null,
      }));
    const wrong = ' Media: MEDIA_ANNOUNCED_ADDRESS';
    expect(await announcing('8.8.8.8', [])).not.toEqual(expect.arrayContaining([`error${wrong}`]));
    expect(await announcing('0.0.0.0', ['8.8.8.8', '127.0.0.1'])).not.toContain(`warning${wrong}`);
    expect(await announcing('0.0.0.0', ['10.0.0.5', '127.0.0.1'])).toContain(`warning${wrong}`);
    expect(await announcing('0.0.0.0', ['10.0.0.5'], ['10.0.0.5'])).toContain(`error${wrong}`);
  });

  it('tries TURN with media that is announced by a name or at IPv6, and names another server at its port', async () => {
    const announcedAt = (address: string) =>
      findings({ PUSH: [] }, ({ server: view }) => ({
        server: view && {
          ...view,
          probes: view.probes.map((probe) => ({
            ...probe,
            iceCandidates: probe.iceCandidates.map((candidate) => ({ ...candidate, address })),
          })),
        },
      }));
    const noTls = 'warning TURN: TURN_TLS_PORT';
    expect(onlyOf('TURN', await announcedAt('localhost'))).toEqual([noTls]);
    const no6 = 'error TURN: MEDIA_ANNOUNCED_ADDRESS';
    expect(onlyOf('TURN', await announcedAt('::1'))).toEqual([no6, no6, noTls]);
    const credentials = { username: '9999999999:doctor', credential: 'wrong' };
    const other = await findings({}, ({ turn }) => ({ turn: { ...turn, credentials } }));
    expect(onlyOf('TURN', other)).toEqual(['error TURN: TURN_PORT', 'error TURN: TURN_PORT', noTls]);
  });

  it('names a TURN server that anybody may use', async () => {
    const open = createSocket('udp4').bind(0, '127.0.0.1');
    await once(open, 'listening');
    open.on('message', (bytes, { port }) => {
      const id = bytes.subarray(8, 20);
      open.send(encode(0x0103, [], { id }).bytes, port, '127.0.0.1');
    });
    const TURN_URLS = [`turn:127.0.0.1:${open.address().port}`];
    const found = await problems({ TURN: 'off', TURN_SECRET: 'any', TURN_URLS });
    open.close();
    const [message] = found.filter(({ check, level }) => check === 'TURN' && level === 'error');
    expect(message).toMatchObject({
      change: 'TURN_URLS',
      message: expect.stringContaining('strangers') as string,
    });
  });

  it('expects no TURN server on a node without media, and names one that is not installed', async () => {
    expect(onlyOf('TURN', await findings({ ROLES: ['api', 'signaling'] }))).toEqual([]);
    vi.stubEnv('TURNSERVER_BIN', join(folder, 'none'));
    const found = await findings({}, () => ({ server: null }));
    vi.unstubAllEnvs();
    expect(onlyOf('TURN', found)).toEqual(['error TURN: TURNSERVER_BIN']);
  });

  it('names a wrong secret of TURN, an ffmpeg without libx264, a Redis that evicts, a wrong clock and small buffers', async () => {
    const client = createClient({ url: redis.url });
    await client.connect();
    await client.configSet('maxmemory-policy', 'allkeys-lru');
    client.destroy();
    const database = new pg.Client(server.database);
    await database.connect();
    await database.query(`CREATE SCHEMA wrong_clock; CREATE FUNCTION wrong_clock.clock_timestamp() RETURNS timestamptz
      LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '2 minutes' $$`);
    await database.end();
    const path = encodeURIComponent('-c search_path=wrong_clock,pg_catalog');
    const bin = join(folder, 'ffmpeg');
    await writeFile(
      bin,
      '#!/bin/sh\necho "ffmpeg version 7.1 Copyright"\necho " A..... libopus libopus Opus"\n',
    );
    await chmod(bin, 0o755);
    await symlink(bin, join(folder, 'ffprobe'));
    const turn = ['udp', 'tcp'].map((over) => `turn:127.0.0.1:${env['TURN_PORT']}?transport=${over}`);
    const small = { rmemMax: 212_992, wmemMax: 212_992, descriptors: 1_024 };
    const found = await findings(
      { TURN: 'off', TURN_URLS: turn, TURN_SECRET: 'wrong', FFMPEG_BIN: bin, REDIS_URL: redis.url },
      ({ databaseUrl, machine }) => ({
        databaseUrl: `${databaseUrl}&options=${path}`,
        machine: { ...machine, ...small },
      }),
    );
    expect(found.filter((one) => !/Address|Certificates|Media|Outgoing/.test(one))).toEqual([
      'error TURN: TURN_SECRET',
      'error TURN: TURN_SECRET',
      'warning TURN: TURN_URLS',
      'error Database: clock (NTP)',
      'error Redis: maxmemory-policy',
      // A cluster needs shared storage.
      'warning Storage: FILES_DIR',
      'error ffmpeg: FFMPEG_BIN',
      'warning Limits: net.core.rmem_max',
      'warning Limits: net.core.wmem_max',
      'warning Limits: ulimit -n',
    ]);
  });

  it('names a database and a Redis that take no writes', async () => {
    await redis.command('REPLICAOF', '127.0.0.1', '1');
    const options = encodeURIComponent('-c default_transaction_read_only=on');
    const found = await findings({ REDIS_URL: redis.url }, ({ databaseUrl }) => ({
      databaseUrl: `${databaseUrl}&options=${options}`,
    }));
    await redis.command('REPLICAOF', 'NO', 'ONE');
    expect(found).toEqual(expect.arrayContaining(['error Database: DATA_DIR', 'error Redis: REDIS_URL']));
  });

  it('checks the certificate of Redis as the server does', async () => {
    const secure = await RedisServer.create({ tls: true });
    try {
      const file = join(folder, 'redis.pem');
      await writeFile(file, secure.ca ?? '');
      const errors = async (settings: Partial<Config>) =>
        (await findings({ REDIS_URL: secure.url, ...settings })).filter((one) =>
          one.startsWith('error Redis'),
        );
      expect(await errors({ REDIS_CA_FILE: file })).toEqual([]);
      expect(await errors({})).toEqual(['error Redis: REDIS_URL']);
    } finally {
      await secure.dispose();
    }
  });

  it('names a Redis that hangs', async () => {
    redis.pause();
    try {
      expect(await findings({ REDIS_URL: redis.url })).toContain('error Redis: REDIS_URL');
    } finally {
      redis.resume();
    }
  });

  it('names a bucket that hangs, and ends', async () => {
    const silent = createTcpServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const keys = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
    const hanging = { S3_BUCKET: 'bucket', S3_ENDPOINT: `http://127.0.0.1:${port}`, ...keys };
    const { code, findings: found } = await command({ ...env, ...hanging });
    silent.close();
    expect(code).toBe(1);
    expect(found).toContainEqual(expect.objectContaining({ level: 'error', change: 'S3_BUCKET' }));
  });

  it('names a TURN server and an ffmpeg that are missing', async () => {
    const TURN_URLS = [`turns:127.0.0.1:${await freePorts()}`];
    const missing = { TURN: 'off', TURN_SECRET: 'any', TURN_URLS, FFMPEG_BIN: join(folder, 'none') } as const;
    expect(await findings(missing)).toEqual(
      expect.arrayContaining(['error TURN: TURN_URLS', 'error ffmpeg: FFMPEG_BIN']),
    );
  });

  it('names an ffmpeg without an ffprobe beside it', async () => {
    const FFMPEG_BIN = join(await mkdtemp(join(folder, 'alone-')), 'ffmpeg');
    await writeFile(FFMPEG_BIN, `#!/bin/sh\nexec ${installed('ffmpeg')} "$@"\n`, { mode: 0o755 });
    const found = await findings({ FFMPEG_BIN });
    expect(found.filter((one) => one.includes('ffmpeg'))).toEqual(['error ffmpeg: FFMPEG_BIN']);
  });

  it('names a folder of files that cannot be used', async () => {
    const FILES_DIR = join(server.dataDir, 'secret.key');
    expect(await findings({ FILES_DIR })).toContain('error Storage: FILES_DIR');
    const good = await findings({ FILES_DIR: folder });
    expect(good.filter((one) => one.includes('Storage'))).toEqual([]);
  });

  it('answers strangers nothing', async () => {
    expect((await fetch(`${server.url}/doctor`)).status).toBe(404);
    const forged = { 'x-parley-doctor': `${Date.now()}.${'0'.repeat(64)}` };
    expect((await fetch(`${server.url}/doctor`, { headers: forged })).status).toBe(404);
  });

  it('finds no error in a good set-up, with the server running and stopped, and exits with 1 otherwise', async () => {
    const announced = { HOST: '::', MEDIA_ANNOUNCED_ADDRESS: '127.0.0.1,::1' };
    const good = { ...env, ...announced, PUBLIC_URL: server.url };
    await server.stop();
    await server.start(good);
    expect(await command(good)).toMatchObject({ code: 0, errors: 0 });
    // It makes up the header itself.
    expect(server.logged('X-Forwarded-For received')).toEqual([]);
    await server.stop();
    expect(await command(good)).toMatchObject({ code: 0, errors: 0 });
    const used = { RTMP_PORT: new URL(env['PUBLIC_URL'] ?? '').port };
    expect((await command({ ...good, ...used })).findings).toContainEqual(
      expect.objectContaining({ level: 'error', change: 'RTMP_PORT' }),
    );
    expect((await command({ ...good, HOST: wrongAddress })).findings).toContainEqual(
      expect.objectContaining({ level: 'error', change: 'HOST' }),
    );
    const wrong = await command({ ...good, TURN_URLS: 'turn:turn.example.org', MEDIA_PORT: 'many' });
    expect(wrong.code).toBe(1);
    expect(wrong.findings.map(({ change }) => change)).toEqual(['MEDIA_PORT', 'TURN']);
  });

  function command(settings: Record<string, string>) {
    type Answer = { code: number; errors: number; findings: { level: string; change: string }[] };
    return new Promise<Answer>((resolve) => {
      const options = { env: { PATH: process.env.PATH, NODE_ENV: 'test', ...settings } };
      const child = execFile(process.execPath, ['server/dist/doctor.js', '--json'], options, (_error, out) =>
        resolve({ code: child.exitCode ?? -1, ...(JSON.parse(out) as Omit<Answer, 'code'>) }),
      );
    });
  }
});
