import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Socket } from 'socket.io-client';
import type { ErrorBody } from '../../sdk/protocol/errors.ts';
import { protocolVersion } from '../../sdk/protocol/version.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { until } from '../harness/until.ts';
import { queryDatabase } from '../integration/money/accountSupport.ts';
import { closeSockets, newWallet, signIn, socket, tokenForger } from '../integration/support.ts';
import { cpuTimeOf } from './cpuTime.ts';
import { percentile } from './figures.ts';

const fullRooms = (process.env.BENCH_PEOPLE ?? '1000,3000').split(',').map(Number);
const goalMs = 10_000;
const giveUpMs = 120_000;
const settings = {
  LOG_LEVEL: 'info',
  MAX_CONNECTIONS_PER_NETWORK: '20000',
};

/** Kills a node (SIGKILL) to which many devices are connected. Measures the time until it is ready and all devices are connected again. */
export async function benchStorm(): Promise<boolean> {
  let isMet = true;
  for (const people of fullRooms) isMet = (await storm(people)) && isMet;
  return isMet;
}

async function storm(people: number): Promise<boolean> {
  const server = await ServerProcess.start(settings);
  try {
    const devices = await connectAll(server, people);
    await server.kill();
    await until(
      () => devices.every(({ socket: { connected } }) => !connected),
      'all devices are disconnected',
      30_000,
    );
    // Wait as long as a supervisor takes to restart the node. By then, the devices are already trying to reconnect.
    await delay(2_000);
    const probe = new Worker(new URL('readyzProbe.mjs', import.meta.url), { workerData: server.url });
    const startedAt = performance.now();
    const starting = server.start();
    await until(
      () => devices.every(({ welcomes }) => welcomes === 2),
      'all devices are connected again',
      giveUpMs,
    ).catch((error: unknown) => console.log(String(error)));
    const cpuMs = cpuTimeOf([server.pid]);
    const [row] = await queryDatabase(
      server,
      'SELECT xact_commit::int AS n FROM pg_stat_database WHERE datname = current_database()',
    );
    const times = devices.map(({ backAt }) => (backAt === 0 ? giveUpMs : backAt - startedAt));
    await starting;
    probe.postMessage('stop');
    const [{ readyAt, worstMs }] = (await once(probe, 'message')) as [{ readyAt: number; worstMs: number }];
    return report(people, times, {
      readyMs: readyAt - performance.timeOrigin - startedAt,
      worstMs,
      transactions: Number(row?.n),
      cpuMs,
    });
  } finally {
    closeSockets();
    await server.dispose();
  }
}

interface Device {
  socket: Socket;
  welcomes: number;
  backAt: number;
}

/** Connects one device per wallet, 50 at a time. The devices reconnect as the SDK does. */
async function connectAll(server: ServerProcess, people: number): Promise<Device[]> {
  const devices: Device[] = [];
  for (const token of await tokens(server, people)) {
    const connection = socket(
      server.url,
      { token, protocolVersion },
      { reconnection: true, timeout: 6_000, reconnectionDelay: 250, reconnectionDelayMax: 2_000 },
    );
    const device = { socket: connection, welcomes: 0, backAt: 0 };
    connection.on('session:welcome', () => {
      device.welcomes++;
      device.backAt = performance.now();
    });
    connection.on('connect_error', (error: Error & { data?: Partial<ErrorBody> }) => {
      if (connection.active) return;
      setTimeout(() => connection.connect(), ((error.data?.retryAfter ?? 1) + Math.random()) * 1_000).unref();
    });
    devices.push(device);
    const isFull = devices.length % 50 === 0 || devices.length === people;
    if (isFull)
      await until(() => devices.every(({ welcomes }) => welcomes === 1), 'the devices are connected', 30_000);
  }
  return devices;
}

/**
 * Creates sessions like those of a sign-in and returns their tokens. The sessions are inserted into the database directly, because signing
 * in would need too many signatures and take too long.
 */
async function tokens(server: ServerProcess, people: number): Promise<string[]> {
  const { token } = await signIn(server.url);
  const forge = await tokenForger(server.dataDir);
  const wallets = Array.from({ length: people }, () => newWallet().address.toLowerCase());
  const sessions = await queryDatabase(
    server,
    `INSERT INTO sessions (id, account_id, wallet, wallet_evidence, audience, network, chain_id, created_at)
     SELECT 'ses_' || md5(given), account_id, given, wallet_evidence, audience, network, chain_id, created_at
     FROM (SELECT * FROM sessions LIMIT 1) AS one, unnest($1::text[]) AS given RETURNING id, wallet`,
    [wallets],
  );
  return sessions.map(({ id, wallet }) => forge(token, { sub: wallet, sid: id }));
}

interface Spent {
  readyMs: number;
  /** The longest response time of `/readyz`. */
  worstMs: number;
  /** The number of database transactions since the node's start. */
  transactions: number;
  /** The CPU time of the node since its start. */
  cpuMs: number;
}

function report(people: number, times: number[], spent: Spent): boolean {
  const shown = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  const last = Math.max(...times);
  const met = last <= goalMs;
  console.log(`\n${people} devices reconnect after kill -9, measured from the start of the node`);
  console.log(
    `  50 % ${shown(percentile(times, 0.5))}   99 % ${shown(percentile(times, 0.99))}   all ${shown(last)}`,
  );
  const { readyMs, worstMs, transactions, cpuMs } = spent;
  console.log(`  ready ${shown(readyMs)}   longest response time of /readyz ${shown(worstMs)}`);
  console.log(
    `  per device: ${(transactions / people).toFixed(1)} transactions, ${(cpuMs / people).toFixed(1)} ms of the node’s CPU time`,
  );
  console.log(`  goal: all within ${goalMs / 1_000} s: ${met ? 'met' : 'NOT MET'}`);
  return met;
}
