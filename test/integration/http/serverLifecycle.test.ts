import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { constants } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { childrenOf, isRunning, stillRunning } from '../../harness/nodes/processes.ts';
import { freePorts } from '../../harness/nodes/ports.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { connectDatabase, queryDatabase } from '../money/accountSupport.ts';
import { ask, closeSockets, connected, next, signIn } from '../support.ts';

/* The server process: its settings, health checks and shutdown. */

let server: ServerProcess;
let url: string;

beforeAll(async () => {
  server = await ServerProcess.start();
  url = server.url;
});
afterAll(async () => {
  closeSockets();
  await server?.dispose();
});

const urlOfDatabase = () =>
  `postgresql:///postgres?host=${encodeURIComponent(server.database.host)}&user=postgres&ssl=0`;

describe('health', () => {
  it('reports each check', async () => {
    expect((await ask(url, 'GET', '/healthz')).body).toEqual({ status: 'ok' });
    const { status, body, headers } = await ask(url, 'GET', '/readyz');
    expect([status, body]).toEqual([
      200,
      { status: 'ready', checks: { database: 'ok', disk: 'ok', media: 'ok', node: 'ok' } },
    ]);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('reports only the failed database while it is down', async () => {
    const postmaster = Number(
      readFileSync(`${server.dataDir}/postgres/postmaster.pid`, 'utf8').split('\n')[0],
    );
    process.kill(postmaster, 'SIGKILL');
    const down = await until(async () => {
      const reply = await ask(url, 'GET', '/readyz');
      return reply.status === 503 ? reply : null;
    }, 'the readiness check fails');
    expect(down.body).toEqual({
      status: 'not_ready',
      checks: { database: 'failed', disk: 'ok', media: 'ok', node: 'ok' },
    });
    expect((await ask(url, 'GET', '/healthz')).status).toBe(200);
    await until(() => server.isReady(), 'the server is ready again');
  });
});

describe('starting and stopping', () => {
  it('names every wrong setting and exits with 1', () => {
    const { status, stderr } = spawnSync(process.execPath, ['server/dist/main.js'], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, PORT: 'x', TRUST_PROXY: 'everybody', NODE_ENV: 'production' },
    });
    expect(status).toBe(1);
    for (const name of ['PORT', 'TRUST_PROXY', 'SECRET_KEY', 'PUBLIC_URL'])
      expect(stderr).toContain(`- ${name}: `);
    expect(stderr).not.toContain('    at ');
  });

  it('reports a port in use, without a stack trace', async () => {
    const { port } = new URL(url);
    const second = await ServerProcess.reserve({ PORT: port });
    await expect(second.start()).rejects.toThrow(/could not start: Port \d+ is in use/);
    expect(second.log).not.toMatch(/^ +at /m);
    await second.dispose();
  });

  it('names a HOST that is no address of the machine, without a stack trace', async () => {
    const refused = await ServerProcess.reserve({ HOST: '192.0.2.1' });
    await expect(refused.start()).rejects.toThrow(
      'could not start: 192.0.2.1 is not an address of this machine: set HOST to one that is.',
    );
    expect(refused.log).not.toMatch(/^ +at /m);
    await refused.dispose();
  });

  it('names a FILES_DIR that cannot be used, without a stack trace', async () => {
    const refused = await ServerProcess.reserve({ FILES_DIR: `${server.dataDir}/secret.key` });
    await expect(refused.start()).rejects.toThrow(/FILES_DIR: \S+ is a file; set a folder/);
    expect(refused.log).not.toMatch(/^ +at /m);
    await refused.dispose();
  });

  it('refuses the DATA_DIR of a running server, also with a database elsewhere, and leaves its files alone', async () => {
    const { dataDir } = server;
    const parts = [`${dataDir}/work/part`, `${dataDir}/hls/segment`];
    for (const part of parts) writeFileSync(part, '');
    const second = await ServerProcess.reserve({
      DATABASE_URL: urlOfDatabase(),
      SECRET_KEY: readFileSync(`${dataDir}/secret.key`, 'utf8'),
      DATA_DIR: dataDir,
    });
    await expect(second.start()).rejects.toThrow(`Another Parley (process ${server.pid}) already runs in`);
    expect(parts.filter((part) => !existsSync(part))).toEqual([]);
    await second.dispose();
  });

  it('ends when it is told to while it still waits for Redis, which closes what is open', async () => {
    const { dataDir } = server;
    const waiting = await ServerProcess.reserve({
      DATABASE_URL: urlOfDatabase(),
      SECRET_KEY: readFileSync(`${dataDir}/secret.key`, 'utf8'),
      REDIS_URL: `redis://127.0.0.1:${await freePorts()}`,
    });
    const starting = waiting.start().catch(String);
    await until(() => waiting.log.includes('Retrying for'), 'the server waits for Redis');
    expect(await waiting.stop()).toBe(128 + constants.signals.SIGTERM);
    await starting;
    expect(waiting.logged('"closed"').map(({ part }) => part)).toEqual([
      'database',
      'DATA_DIR',
      'resource watch',
    ]);
    expect(waiting.log).not.toMatch(/could not (be closed|start)/);
    expect(stillRunning(waiting.dataDir)).toEqual([]);
    await waiting.dispose();
  });

  it('stops in order and exits with 0 while a job goes on for long', async () => {
    const stopping = await ServerProcess.start();
    const reader = await connectDatabase(stopping);
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    await queryDatabase(
      stopping,
      "INSERT INTO due (kind, subject, due_at, payload) VALUES ('erasure.clean', 'all', now(), '{}')",
    );
    const waits = () => stopping.logged('cleaning waits for open transactions').length > 0;
    await until(waits, 'the job waits for the reader');
    expect(await stopping.stop()).toBe(0);
    expect(stopping.logged('"closed"').map((line) => line.part)).toContain('database');
    await reader.end().catch(() => undefined);
    await stopping.dispose();
  });

  it('stops in order and exits with 0 while clients are connected', async () => {
    const stopping = await ServerProcess.start(({ mediaPort }) => ({ METRICS_PORT: String(mediaPort + 1) }));
    const device = await connected(stopping.url, (await signIn(stopping.url)).token);
    const closed = next(device, 'disconnect').then(() => Date.now());
    const worker = Number(stopping.logged('media worker started')[0]?.pid);
    // One connection is kept alive, and one never finishes its request.
    const { port } = new URL(stopping.url);
    const unfinished = connect(Number(port), '127.0.0.1');
    unfinished.on('error', () => {});
    unfinished.write(
      'POST /api/v1/auth/refresh HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
    );
    await fetch(`${stopping.url}/healthz`);
    const children = childrenOf(stopping.pid);
    expect(children.join(' ')).toMatch(/postgres|guard/);
    expect(children.join(' ')).toContain('mediasoup-worker');
    const startedAt = performance.now();
    const workerEnded = until(() => !isRunning(worker), 'the worker has exited', 45_000, 5).then(async () => {
      // After a stall, this process would see the end of the worker before it reads what arrived earlier.
      await new Promise((resolve) => setImmediate(resolve));
      return Date.now();
    });
    // On Ctrl+C, a terminal signals every process of the program, and npm forwards its own signal. All of it is one request to stop.
    for (const pid of [worker, stopping.pid]) process.kill(pid, 'SIGINT');
    expect(await stopping.stop()).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(await workerEnded).toBeGreaterThanOrEqual(await closed);
    unfinished.destroy();
    await until(() => stillRunning(stopping.dataDir).length === 0, 'no process is left');
    expect(stopping.logged('"closed"').map((line) => line.part)).toEqual([
      'drain',
      'open connections',
      'scheduled jobs',
      'RTMP',
      'HLS',
      'WHIP and WHEP',
      'signalling',
      'push services',
      'metrics',
      'connections',
      'HTTP',
      'missed events',
      'key watch',
      'recent errors',
      'node',
      'segments',
      'media',
      'telephony',
      'webhooks',
      'accounts',
      'database',
      'resource watch',
      'port for metrics',
    ]);
    expect(stopping.log).not.toMatch(/could not be closed|handshake failed|request failed/);
    await stopping.dispose();
  });
});
