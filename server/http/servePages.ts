import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { Router } from 'express';

const top = fileURLToPath(new URL('../..', import.meta.url));
const sdkBuild = join(top, 'sdk/dist');
const consoleBuild = join(top, 'server/console/dist');

/** `/sdk/parley.js`, the SDK as an ES module; and the console, whose own routes all load its one page. */
export function servePages(): Router {
  const router = Router();
  router.use(
    '/sdk',
    express.static(sdkBuild, {
      index: false,
      setHeaders(response, path) {
        response.setHeader('Access-Control-Allow-Origin', '*');
        // The service worker may be for all of the origin's pages.
        if (path.endsWith('parley-push.js')) response.setHeader('Service-Worker-Allowed', '/');
      },
    }),
  );
  // Their names carry a hash of their content.
  router.use(
    '/assets',
    express.static(join(consoleBuild, 'assets'), { immutable: true, maxAge: '1y', index: false }),
  );
  router.use(express.static(consoleBuild, { index: false }));
  router.get('/{*path}', (request, response, next) => {
    const isPage = request.accepts(['html', 'json']) === 'html' && !request.path.startsWith('/assets/');
    const page = join(consoleBuild, 'index.html');
    if (!isPage || !existsSync(page)) return next();
    response.set('Cache-Control', 'no-cache').sendFile(page);
  });
  return router;
}
