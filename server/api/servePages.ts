import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Router } from 'express';
import expressStaticGzip from 'express-static-gzip';

const top = fileURLToPath(new URL('../..', import.meta.url));
const sdkBuild = join(top, 'sdk/dist');
const consoleBuild = join(top, 'server/console/dist');

/** The build creates compressed copies of all files. Each client gets the best encoding it accepts. */
const packed = { index: false, enableBrotli: true, orderPreference: ['br', 'gz'] };

/** Serves `/sdk/parley.js` (the SDK as an ES module) and the console, whose paths all load one page. */
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
          // The header lets the service worker control all pages of the origin. The worker needs no max-age, because browsers check for
          // a new version of it themselves.
          if (isWorker) response.setHeader('Service-Worker-Allowed', '/');
          // The URL has no version, so clients ask again after five minutes and get 304 while the ETag is the same.
          else response.setHeader('Cache-Control', 'public, max-age=300');
        },
      },
    }),
  );
  // File names contain a hash of the content, so these files never change.
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

/** Paths of the console's pages, as its build lists them. Without a build there are none. */
function pagePaths(): string[] {
  const list = join(consoleBuild, 'pages.json');
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as string[]) : [];
}
