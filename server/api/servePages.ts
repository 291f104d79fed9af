import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Router } from 'express';
import expressStaticGzip from 'express-static-gzip';

const top = fileURLToPath(new URL('../..', import.meta.url));
const sdkBuild = join(top, 'sdk/dist');
const consoleBuild = join(top, 'server/console/dist');

/** Files are compressed when they are built: each is sent in the best form its client takes. */
const packed = { index: false, enableBrotli: true, orderPreference: ['br', 'gz'] };

/** `/sdk/parley.js`, the SDK as an ES module; and the console, whose own paths all load its one page. */
export function servePages(): Router {
  const router = Router();
  router.use(
    '/sdk',
    expressStaticGzip(sdkBuild, {
      ...packed,
      serveStatic: {
        setHeaders(response, path) {
          response.setHeader('Access-Control-Allow-Origin', '*');
          const isWorker = /parley-push\.js(\.br|\.gz)?$/.test(path);
          // The service worker may be for all of the origin's pages, and browsers look for a new one themselves.
          if (isWorker) response.setHeader('Service-Worker-Allowed', '/');
          // An address without a version: asked for again after a while, and answered 304 by its tag while it is the same.
          else response.setHeader('Cache-Control', 'public, max-age=300');
        },
      },
    }),
  );
  // Their names carry a hash of their content.
  router.use(
    '/assets',
    expressStaticGzip(join(consoleBuild, 'assets'), {
      ...packed,
      serveStatic: { immutable: true, maxAge: '1y' },
    }),
  );
  router.use(expressStaticGzip(consoleBuild, packed));
  router.get(pagePaths(), (_request, response, next) => {
    const page = join(consoleBuild, 'index.html');
    if (!existsSync(page)) return next();
    response.set('Cache-Control', 'no-cache').sendFile(page);
  });
  return router;
}

/** The console's build lists the paths of its pages. Without a build there are none. */
function pagePaths(): string[] {
  const list = join(consoleBuild, 'pages.json');
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as string[]) : [];
}
