import { setTimeout as delay } from 'node:timers/promises';
import { Router } from 'express';
import type { Logger } from 'pino';

type Check = () => Promise<void>;

const retryMs = 250;

/** `/healthz` shows that the process is running. `/readyz` shows whether it can serve requests, with the result of each check. */
export function health(checks: Record<string, Check>, log: Logger): Router {
  const router = Router();
  let running: Promise<Record<string, 'ok' | 'failed'>> | null = null;
  router.get('/healthz', (_request, response) => {
    response.set('Cache-Control', 'no-store').json({ status: 'ok' });
  });
  router.get('/readyz', async (_request, response) => {
    // These paths have no rate limit, so concurrent requests share one run of the checks.
    running ??= runAll(checks, log).finally(() => (running = null));
    const results = await running;
    const ready = Object.values(results).every((result) => result === 'ok');
    response
      .set('Cache-Control', 'no-store')
      .status(ready ? 200 : 503)
      .json({ status: ready ? 'ready' : 'not_ready', checks: results });
  });
  return router;
}

/** Whether all checks pass. */
export const isReady = async (checks: Record<string, Check>, log: Logger): Promise<boolean> =>
  Object.values(await runAll(checks, log)).every((result) => result === 'ok');

/** Repeats the checks until all pass. @param isOver returns true to give up */
export async function untilReady(
  checks: Record<string, Check>,
  isOver: () => boolean,
  log: Logger,
): Promise<void> {
  while (!isOver()) {
    if (await isReady(checks, log)) return;
    await delay(retryMs);
  }
}

/** The checks that failed when they ran last. */
const failing = new WeakSet<Check>();

/** Runs the checks. Logs when one begins to fail and when it passes again, but not every time: load balancers ask every few seconds. */
async function runAll(checks: Record<string, Check>, log: Logger): Promise<Record<string, 'ok' | 'failed'>> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        await check();
        if (failing.delete(check)) log.info({ check: name }, 'readiness check passes again');
        return [name, 'ok'] as const;
      } catch (err) {
        if (!failing.has(check)) log.warn({ err, check: name }, 'readiness check failed');
        failing.add(check);
        return [name, 'failed'] as const;
      }
    }),
  );
  return Object.fromEntries(results);
}
