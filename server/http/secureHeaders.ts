import type { RequestHandler } from 'express';
import helmet from 'helmet';
import type { Config } from '../config/config.ts';

type Used = Pick<Config, 'isProduction' | 'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_ORIGINS'>;

/** What calls and streams need, for our own pages; a page that was broken into gets nothing else. */
const permissions = [
  ...['camera', 'microphone', 'display-capture', 'fullscreen', 'picture-in-picture'].map(
    (name) => `${name}=(self)`,
  ),
  ...['geolocation', 'payment', 'usb', 'serial', 'hid', 'midi'].map((name) => `${name}=()`),
].join(', ');

/** Helmet's headers, for pages. They are the same on every answer, so they are worked out once. */
export function secureHeaders(config: Used): RequestHandler {
  const headers: [string, string][] = [];
  const collector = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => {},
  };
  protection(config)({} as never, collector as never, (error?: unknown) => {
    if (error) throw error as Error;
  });
  headers.push(['Permissions-Policy', permissions]);
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

function protection({ isProduction, ...config }: Used) {
  return helmet({
    contentSecurityPolicy: {
      directives: {
        // The WebSocket of the own origin is 'self' too.
        connectSrc: ["'self'", ...providersOrigins(config)],
        imgSrc: ["'self'", 'data:', 'blob:'],
        mediaSrc: ["'self'", 'blob:', 'mediastream:'],
        fontSrc: ["'self'"],
        // Mantine writes its theme into <style> elements, and the page is one file for all: it has no nonce to give them.
        styleSrc: ["'self'", "'unsafe-inline'"],
        // A development page on plain http must stay there.
        upgradeInsecureRequests: isProduction ? [] : null,
      },
    },
    // Other hosts of the domain are not ours to speak for.
    strictTransportSecurity: isProduction && { maxAge: 31_536_000, includeSubDomains: false },
    // /sdk/parley.js is for pages of other origins too.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  });
}

/** Where the console's page asks the identity provider: only where it signs in there at all. */
function providersOrigins({
  OIDC_ISSUER,
  OIDC_CLIENT_ID,
  OIDC_ORIGINS,
}: Omit<Used, 'isProduction'>): string[] {
  if (!OIDC_ISSUER || !OIDC_CLIENT_ID) return [];
  return [new URL(OIDC_ISSUER).origin, ...OIDC_ORIGINS];
}
