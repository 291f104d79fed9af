import { Router } from 'express';

type Check = () => Promise<void>;

/** `/healthz`: the process answers. `/readyz`: it can serve; which part can't is named. */
export function health(checks: Record<string, Check>): Router {
  const router = Router();
  router.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  router.get('/readyz', async (request, response) => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        try {
          await check();
          return [name, 'ok'] as const;
        } catch (err) {
          request.log.warn({ err, check: name }, 'not ready');
          return [name, 'failed'] as const;
        }
      }),
    );
    const ready = results.every(([, result]) => result === 'ok');
    response
      .status(ready ? 200 : 503)
      .json({ status: ready ? 'ready' : 'not_ready', checks: Object.fromEntries(results) });
  });
  return router;
}
