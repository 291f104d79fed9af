import { Router } from 'express';
import swaggerUi from 'swagger-ui-express';

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
  router.use(swaggerUi.serveFiles(undefined, options));
  router.get('/', swaggerUi.setup(undefined, options));
  return router;
}
