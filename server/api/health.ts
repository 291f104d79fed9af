import { setTimeout as delay } from 'node:timers/promises';
import { Router } from 'express';
import type { Logger } from 'pino';

type Check = () => Promise<void>;

const lookAgainMs = 250;

/** `/healthz`: the process answers. `/readyz`: it can serve; which part can't is named. */
export function health(checks: Record<string, Check>, log: Logger): Router {
  const router = Router();
  let running: Promise<Record<string, 'ok' | 'failed'>> | null = null;
  router.get('/healthz', (_request, response) => {
    response.set('Cache-Control', 'no-store').json({ status: 'ok' });
  });
  router.get('/readyz', async (_request, response) => {
    // Anybody may ask, as often as they like: who asks meanwhile shares the answer.
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

/** Looks again and again, until everything answers. @param isOver nobody waits for it any more */
export async function untilReady(
  checks: Record<string, Check>,
  isOver: () => boolean,
  log: Logger,
): Promise<void> {
  while (!isOver()) {
    if (Object.values(await runAll(checks, log)).every((result) => result === 'ok')) return;
    await delay(lookAgainMs);
  }
}

async function runAll(checks: Record<string, Check>, log: Logger): Promise<Record<string, 'ok' | 'failed'>> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        await check();
        return [name, 'ok'] as const;
      } catch (err) {
        log.warn({ err, check: name }, 'not ready');
        return [name, 'failed'] as const;
      }
    }),
  );
  return Object.fromEntries(results);
}
