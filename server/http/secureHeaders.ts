import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Helmet's headers. They are the same on every answer, so they are worked out once. */
export function secureHeaders(isProduction: boolean): RequestHandler {
  const headers: [string, string][] = [];
  const collector = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => {},
  };
  protection(isProduction)({} as never, collector as never, (error?: unknown) => {
    if (error) throw error as Error;
  });
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

function protection(isProduction: boolean) {
  return helmet({
    contentSecurityPolicy: {
      directives: {
        // The WebSocket of the own origin is 'self' too.
        connectSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        mediaSrc: ["'self'", 'blob:', 'mediastream:'],
        // The page's styles are set by its scripts too.
        styleSrc: ["'self'", "'unsafe-inline'"],
        // A development page on plain http must stay there.
        upgradeInsecureRequests: isProduction ? [] : null,
      },
    },
    strictTransportSecurity: isProduction,
    // /sdk/parley.js is for pages of other origins too.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  });
}
