import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { until } from '../harness/until.ts';
import { queryDatabase } from '../integration/money/accountSupport.ts';
import { ofSamples, ofValue, type Figure } from './report/Figure.ts';
import type { Bench } from './report/Report.ts';
import { cpuByProcess } from './rooms/processes.ts';
import { Fleet } from './sockets/Fleet.ts';
import { sessionTokens } from './sockets/sessionTokens.ts';

const sizes = (process.env.BENCH_PEOPLE ?? '1000,3000,10000').split(',').map(Number);
/** How long a supervisor takes to restart the node. By then, the devices are already trying to reconnect. */
const restartMs = 2_000;
const goals = { backMs: 30_000, readyMs: 3_000 };
const giveUpMs = 120_000;
const settings = { LOG_LEVEL: 'info', MAX_CONNECTIONS_PER_NETWORK: '20000' };

/** Kills a node (SIGKILL) to which many devices are connected. */
export const storm: Bench = {
  title: 'All devices reconnect after a kill -9',
  about:
    'A node with signed-in devices is killed with SIGKILL and started again after 2 s. The devices try to reconnect all the time, after the same pauses as the SDK. A device is back when the server has welcomed it and has answered its request for missed events. Devices, node and database share the machine.',
  async run() {
    const figures: Figure[] = [];
    for (const size of sizes) figures.push(...(await kill(size)));
    return figures;
  },
};

async function kill(size: number): Promise<Figure[]> {
  const server = await ServerProcess.start(settings);
  const fleet = new Fleet();
  try {
    await fleet.connect(server.ports.port, await sessionTokens(server, size));
    fleet.forget();
    const transactionsBefore = await transactionsOf(server);
    const killedAt = Date.now();
    await server.kill();
    await until(async () => (await fleet.report()).connected === 0, 'all devices are disconnected', 30_000);
    await delay(killedAt + restartMs - Date.now());
    const probe = new Worker(new URL('readyzProbe.mjs', import.meta.url), { workerData: server.url });
    const startedAt = Date.now();
    const { cpuMs: fleetCpu } = await fleet.report();
    const starting = server.start();
    await untilBack(fleet, size);
    const backAfterMs = Date.now() - startedAt;
    const report = await fleet.report();
    await starting;
    const cpu = cpuByProcess(server.pid);
    const cpuOf = (kind: string) =>
      cpu.filter((each) => each.kind === kind).reduce((sum, { ms }) => sum + ms, 0);
    const transactions = await transactionsOf(server);
    probe.postMessage('stop');
    const [{ readyAt, worstMs }] = (await once(probe, 'message')) as [{ readyAt: number; worstMs: number }];
    const what = (text: string) => `${size.toLocaleString('en-US')} devices: ${text}`;
    // A device that did not come back in time counts with the time that the benchmark waited.
    const sinceKill = (at: number) => (at > killedAt ? at : killedAt + giveUpMs) - killedAt;
    return [
      ...ofSamples({
        what: what('back after the kill'),
        unit: 'ms',
        samples: report.caughtUpAt.map(sinceKill),
        goals: { max: goals.backMs },
      }),
      ofValue(what('refused for good'), '', report.refusedForGood.length, { atMost: 0 }),
      ofValue(what('ready after the start'), 'ms', readyAt - startedAt, { atMost: goals.readyMs }),
      ofValue(what('longest response time of /readyz'), 'ms', worstMs),
      ofValue(what('CPU of the node per device, with its start'), 'ms', cpuOf('node') / size),
      ofValue(what('CPU of PostgreSQL per device, with its start'), 'ms', cpuOf('postgres') / size),
      ofValue(
        what('transactions per device'),
        '',
        // PostgreSQL forgets its counts if it was killed too.
        (transactions - (transactions > transactionsBefore ? transactionsBefore : 0)) / size,
      ),
      ofValue(what('attempts per device'), '', report.attempts / size),
      ofValue(what('connections without a welcome per device'), '', report.wasted / size),
      ofValue(
        what('CPU of the devices themselves, share of one core'),
        '%',
        ((report.cpuMs - fleetCpu) / backAfterMs) * 100,
      ),
      ofValue(what('event loop delay of the devices’ processes, p99'), 'ms', report.delayP99),
    ];
  } finally {
    fleet.close();
    await server.dispose();
  }
}

async function transactionsOf(server: ServerProcess): Promise<number> {
  const [row] = await queryDatabase(
    server,
    'SELECT xact_commit::int AS n FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(row?.n);
}

async function untilBack(fleet: Fleet, size: number): Promise<void> {
  await until(
    async () => {
      const { connected, caughtUp, refusedForGood } = await fleet.report();
      process.stdout.write(`\r  ${connected} of ${size} devices are connected  `);
      return caughtUp + refusedForGood.length === size;
    },
    'all devices are connected again',
    giveUpMs,
    250,
  ).catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
}
