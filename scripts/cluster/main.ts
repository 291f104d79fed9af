import { join } from 'node:path';
import { pino } from 'pino';
import { EmbeddedPostgres } from '../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { loadSecrets } from '../../platform/secrets.ts';
import { Output } from './Output.ts';
import { makePlan, refuseUsedPorts, type Plan } from './plan.ts';
import { Service } from '../../platform/system/Service.ts';
import { parley, redis, type Program } from './services.ts';

/* Starts all services in order, prints what the user can try, and stops the services in reverse order on a signal. */

/** The functions that close the services, in the order in which the services were started. */
const closers: (() => Promise<unknown>)[] = [];
let stopping: Promise<never> | undefined;

async function main(): Promise<void> {
  const plan = makePlan(process.env);
  await refuseUsedPorts(plan);
  const names = [...plan.nodes.map(({ name }) => name), 'postgres', 'redis'];
  const isPretty = process.env.LOG_PRETTY !== 'false';
  const nodes = await startAll(plan, new Output(names, { isPretty }));
  if (!stopping) process.stdout.write(greeting(plan, nodes));
}

async function startAll(plan: Plan, output: Output): Promise<Service[]> {
  const postgres = await EmbeddedPostgres.start({
    dataDir: plan.dataDir,
    logger: pino({ level: 'warn' }, { write: (line: string) => output.printLog('postgres', line.trimEnd()) }),
    onLost: (error) => {
      process.stderr.write(`${error.message}\n`);
      void stop(1);
    },
  });
  closers.push(() => postgres.close());
  const secrets = await loadSecrets({ DATA_DIR: plan.dataDir });

  const start = (program: Program) => startOne(program, output);
  await start(await redis(plan));
  const shared = {
    DATABASE_URL: postgres.url,
    REDIS_URL: `redis://127.0.0.1:${plan.redisPort}`,
    SECRET_KEY: secrets.derive('npm run cluster/nodes').toString('hex'),
    // A page from one node may connect to the other node, by either name of this machine.
    ALLOWED_ORIGINS: plan.nodes
      .flatMap(({ port }) => ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${port}`))
      .join(','),
    FILES_DIR: join(plan.dataDir, 'files'),
    MEDIA_WORKERS: String(plan.workers),
  };
  // Waits for all nodes, even if one fails, so that stop() knows every process.
  const starts = await Promise.allSettled(plan.nodes.map((node) => start(parley(node, shared))));
  return starts.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

async function startOne(program: Program, output: Output): Promise<Service> {
  if (stopping) await stopping;
  const { name } = program;
  const isNode = name.startsWith('node');
  const service = new Service({
    ...program,
    onLine(line, stream) {
      // The output of other services is not printed, only their deaths and restarts.
      if (!isNode) return;
      if (stream === 'err') output.print(name, line);
      else output.printLog(name, line);
    },
    onDied: (_service, reason) => output.print(name, `has died (${reason}) and will be restarted`),
    onRestarted: ({ pid }) => output.print(name, `is back as process ${pid}`),
  });
  closers.push(() => service.stop());
  await service.start();
  return service;
}

/** Stops all services, each within its own limit, then ends this program. */
function stop(exitCode: number): Promise<never> {
  return (stopping ??= (async () => {
    // The first two closers are those of PostgreSQL and Redis. The nodes need them, so they are stopped first, in parallel.
    const [nodes, others] = [closers.splice(2), closers.splice(0).reverse()];
    await Promise.allSettled(nodes.map((close) => close()));
    for (const close of others) await close().catch(() => {});
    process.exit(exitCode);
  })());
}

const greeting = ({ nodes }: Plan, services: Service[]) => `
  Two nodes are running as one cluster:

${nodes.map(({ name, url }, index) => `    ${name}  ${url}  (process ${services[index]?.pid})`).join('\n')}

  Open one browser window on each. Each gets a wallet with one click, and they can call each other.
  Then kill a node (kill -9 ${services[0]?.pid}): the call continues, and the node is restarted after a second.
  Ctrl+C stops everything.

`;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // A second signal exits immediately. The guards end the remaining services.
    if (stopping) process.exit(1);
    void stop(0);
  });
}
// A program that reads the output through a pipe may end before this one.
process.stdout.on('error', () => {});

main().catch((error: unknown) => {
  if (stopping) return;
  const text = error instanceof Error && error.constructor === Error ? error.message : (error as Error).stack;
  process.stderr.write(`\nThe cluster did not start.\n${text}\n`);
  void stop(1);
});
