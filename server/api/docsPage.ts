import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Router } from 'express';
import expressStaticGzip from 'express-static-gzip';
import swaggerUi from 'swagger-ui-express';

const packedFiles = fileURLToPath(new URL('docs/dist', import.meta.url));

/** `/docs`: an interactive view of the OpenAPI document. The page loads its scripts only from this server. */
export function docsPage(): Router {
  const router = Router();
  const options = {
    customSiteTitle: 'Parley API',
    swaggerOptions: { url: '/api/v1/openapi.json', validatorUrl: null },
  };
  router.get('/', (request, response, next) => {
    // The page refers to its scripts by relative paths, so it needs the slash at the end.
    if (request.originalUrl.split('?')[0]?.endsWith('/docs')) response.redirect(301, '/docs/');
    else next();
  });
  // If the build has created compressed copies of the page's files, they are preferred.
  if (existsSync(packedFiles))
    router.use(
      expressStaticGzip(packedFiles, { index: false, enableBrotli: true, orderPreference: ['br', 'gz'] }),
    );
  router.use(swaggerUi.serveFiles(undefined, options));
  router.get('/', swaggerUi.setup(undefined, options));
  return router;
}
