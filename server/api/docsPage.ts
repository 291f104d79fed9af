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

/** Backgrounds of the methods, and darker colours for the texts that Swagger UI shows too faintly on white. */
const methods = { get: '#1a63b0', post: '#1d7548', put: '#9a5300', patch: '#0b7563', delete: '#c0281f' };
const customCss = [
  `html.dark-mode .swagger-ui :is(${darkTexts}) { color: #e4e6e6 }`,
  // The list of servers has one entry and no label.
  '.swagger-ui .schemes-server-container { display: none !important }',
  ...Object.entries(methods).map(
    ([method, colour]) =>
      `html:not(.dark-mode) .swagger-ui .opblock-${method} .opblock-summary-method { background: ${colour} !important }`,
  ),
  '.swagger-ui .info .title small { background: #545b66 !important }',
  '.swagger-ui .info .title small.version-stamp { background: #4c6100 !important }',
  'html:not(.dark-mode) .swagger-ui :is(a, .info .url) { color: #1f5fae !important }',
  'html:not(.dark-mode) .swagger-ui .json-schema-2020-12-expand-deep-button { color: #505050 !important }',
  'html:not(.dark-mode) .swagger-ui .btn.authorize { color: #1d7548; border-color: #1d7548 }',
].join('\n');

/**
 * `/docs`: an interactive view of the OpenAPI document, and at `/docs/reference` the reference of the SDK and of the realtime protocol. The
 * pages load their scripts only from this server.
 */
export function docsPage(): Router {
  const router = Router();
  const options = {
    customSiteTitle: 'Parley API',
    customCss,
    swaggerOptions: {
      url: '/api/v1/openapi.json',
      validatorUrl: null,
      // Otherwise the button of each operation would contain a link, which screen readers and keyboards cannot tell from it.
      deepLinking: false,
      // The groups are closed at first: more than a hundred open operations are a page that nobody can survey.
      docExpansion: 'none',
      // So is the list of all schemas.
      defaultModelsExpandDepth: 0,
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
