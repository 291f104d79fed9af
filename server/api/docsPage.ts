import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Router } from 'express';
import expressStaticGzip from 'express-static-gzip';
import swaggerUi from 'swagger-ui-express';

const packedFiles = fileURLToPath(new URL('docs/dist', import.meta.url));

/** Texts that Swagger UI leaves dark in its dark mode: the names of response headers, and descriptions and values in schemas. */
const darkTexts =
  'table.headers td, [class*=keyword--description], [class*=json-viewer__], [class*=keyword__value]:not([class*=warning])';

/**
 * `/docs`: an interactive view of the OpenAPI document, and at `/docs/reference` the reference of the SDK and of the realtime protocol. The
 * pages load their scripts only from this server.
 */
export function docsPage(): Router {
  const router = Router();
  const options = {
    customSiteTitle: 'Parley API',
    customCss: `html.dark-mode .swagger-ui :is(${darkTexts}) { color: #e4e6e6 }`,
    swaggerOptions: {
      url: '/api/v1/openapi.json',
      validatorUrl: null,
      syntaxHighlight: { theme: 'obsidian' },
    },
  };
  router.get(['/', '/reference'], (request, response, next) => {
    // The pages refer to their scripts by relative paths, so their addresses need the slash at the end.
    const [path = ''] = request.originalUrl.split('?');
    if (path.endsWith('/')) next();
    else response.redirect(301, `${path}/`);
  });
  // If the build has created compressed copies of the page's files, they are preferred.
  const packed = { enableBrotli: true, orderPreference: ['br', 'gz'] };
  if (existsSync(packedFiles)) {
    router.use('/reference', expressStaticGzip(join(packedFiles, 'reference'), packed));
    router.use(expressStaticGzip(packedFiles, { ...packed, index: false }));
  }
  router.use(swaggerUi.serveFiles(undefined, options));
  router.get('/', swaggerUi.setup(undefined, options));
  return router;
}
