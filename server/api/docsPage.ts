import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Router } from 'express';
import expressStaticGzip from 'express-static-gzip';
import swaggerUi from 'swagger-ui-express';

const packedFiles = fileURLToPath(new URL('docs/dist', import.meta.url));

/** `/docs`: the OpenAPI document as a page to try it on. Its scripts are served from here; nothing is loaded from elsewhere. */
export function docsPage(): Router {
  const router = Router();
  const options = {
    customSiteTitle: 'Parley API',
    swaggerOptions: { url: '/api/v1/openapi.json', validatorUrl: null },
  };
  router.get('/', (request, response, next) => {
    // The page names its scripts relative to itself.
    if (request.originalUrl.split('?')[0]?.endsWith('/docs')) response.redirect(301, '/docs/');
    else next();
  });
  // The same files, compressed when the server was built.
  if (existsSync(packedFiles))
    router.use(
      expressStaticGzip(packedFiles, { index: false, enableBrotli: true, orderPreference: ['br', 'gz'] }),
    );
  router.use(swaggerUi.serveFiles(undefined, options));
  router.get('/', swaggerUi.setup(undefined, options));
  return router;
}
