import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { livePostmaster, serverProcesses } from './processes.ts';

const FAST_SHUTDOWN_LIMIT_MS = 20_000;
const IMMEDIATE_SHUTDOWN_LIMIT_MS = 10_000;
const POLL_MS = 50;

/**
 * Stops servers that an earlier run left on this cluster, and removes their files. The lock of DATA_DIR must be held, so that a running
 * server is known to be an orphan or shutting down.
 */
export async function clearLeftovers(clusterDir: string, logger: Logger): Promise<void> {
  const pid = await livePostmaster(clusterDir);
  if (pid !== undefined) {
    logger.warn({ pid }, 'stopping a PostgreSQL server left by an earlier run');
    send('SIGINT', pid);
    await waitUntilGone(clusterDir, FAST_SHUTDOWN_LIMIT_MS);
  }
  // Children outlive a killed server until their query ends, and the next server refuses to start while they run.
  const children = await serverProcesses(clusterDir);
  for (const child of children) send('SIGQUIT', child);
  if (children.length > 0 && !(await waitUntilGone(clusterDir, IMMEDIATE_SHUTDOWN_LIMIT_MS))) {
    const left = await serverProcesses(clusterDir);
    throw new Error(
      `PostgreSQL still runs on ${clusterDir} and does not stop (processes ${left.join(', ')}). Stop it, then start again.`,
    );
  }
  // The process ids in these files may now belong to other programs, which PostgreSQL would take for a running server.
  await rm(join(clusterDir, 'postmaster.pid'), { force: true });
  await rm(join(clusterDir, '.s.PGSQL.5432.lock'), { force: true });
}

/** Polls, because the processes are not children of this program, so that their end emits no event. */
async function waitUntilGone(clusterDir: string, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while ((await serverProcesses(clusterDir)).length > 0) {
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

function send(signal: NodeJS.Signals, pid: number): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // The process may have ended since it was found.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
