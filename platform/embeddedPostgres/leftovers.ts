import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { livePostmaster, serverProcesses } from './processes.ts';

const FAST_SHUTDOWN_LIMIT_MS = 20_000;
const IMMEDIATE_SHUTDOWN_LIMIT_MS = 10_000;
const POLL_MS = 50;

/**
 * Clears away what an earlier run left of this cluster's server. The caller holds the lock of DATA_DIR, so whatever still runs has
 * lost its owner: it is shutting down already, or it is an orphan.
 */
export async function clearLeftovers(clusterDir: string, logger: Logger): Promise<void> {
  const pid = await livePostmaster(clusterDir);
  if (pid !== undefined) {
    logger.warn({ pid }, 'stopping the PostgreSQL an earlier run left behind');
    send('SIGINT', pid);
    await waitUntilGone(clusterDir, FAST_SHUTDOWN_LIMIT_MS);
  }
  // Children outlive a server that was killed for as long as their query takes, and the next server refuses to start beside them.
  for (const child of await serverProcesses(clusterDir)) send('SIGQUIT', child);
  if (!(await waitUntilGone(clusterDir, IMMEDIATE_SHUTDOWN_LIMIT_MS))) {
    const left = await serverProcesses(clusterDir);
    throw new Error(
      `PostgreSQL still runs on ${clusterDir} and does not stop (processes ${left.join(', ')}). Stop it, then start again.`,
    );
  }
  // Their numbers may by now belong to other programs, which PostgreSQL would take for a running server.
  await rm(join(clusterDir, 'postmaster.pid'), { force: true });
  await rm(join(clusterDir, '.s.PGSQL.5432.lock'), { force: true });
}

/** They are not this program's children, so there is no event to wait for. */
async function waitUntilGone(clusterDir: string, limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  while ((await serverProcesses(clusterDir)).length > 0) {
    if (Date.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

function send(signal: NodeJS.Signals, pid: number): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It may have ended since it was found.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
