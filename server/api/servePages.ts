import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Router, type RequestHandler } from 'express';
import expressStaticGzip from 'express-static-gzip';

const top = fileURLToPath(new URL('../..', import.meta.url));
const sdkBuild = join(top, 'sdk/dist');
const consoleBuild = join(top, 'server/console/dist');
const embedBuild = join(top, 'sdk/embed/dist');

/** The build creates compressed copies of all files. Each client gets the best encoding it accepts. */
const packed = { index: false, enableBrotli: true, orderPreference: ['br', 'gz'] };

/**
 * Serves `/sdk/parley.js` (the SDK as an ES module), `/sdk/embed.js` (elements for pages without a build), the page that these show in
 * frames, and the console, whose paths all load one page.
 */
export function servePages(): Router {
  const router = Router();
  // File names contain a hash of the content, so these files never change.
  const assets = { ...packed, serveStatic: { immutable: true, maxAge: '1y' } };
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
  router.use('/assets', expressStaticGzip(join(consoleBuild, 'assets'), assets));
  router.use('/embed/assets', expressStaticGzip(join(embedBuild, 'assets'), assets));
  router.get('/embed/:page/:id', page(embedBuild));
  router.use(expressStaticGzip(consoleBuild, packed));
  router.get(pagePaths(), page(consoleBuild));
  return router;
}

/** Answers with the page of a build. Without a build, there is no page. */
const page =
  (build: string): RequestHandler =>
  (_request, response, next) => {
    const file = join(build, 'index.html');
    if (!existsSync(file)) return next();
    response.set('Cache-Control', 'no-cache').sendFile(file);
  };

/** Paths of the console's pages, as its build lists them. Without a build there are none. */
function pagePaths(): string[] {
  const list = join(consoleBuild, 'pages.json');
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as string[]) : [];
}
