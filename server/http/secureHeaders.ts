import type { RequestHandler } from 'express';
import helmet from 'helmet';
import type { Config } from '../config/config.ts';

type Used = Pick<
  Config,
  'isProduction' | 'EMBED_ORIGINS' | 'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_ORIGINS'
>;

/** The pages that other origins may show in a frame. */
const embedded = '/embed/';

/**
 * Grants this server's pages the browser features that calls and streams need. Others are denied, to limit what injected scripts can do.
 */
const permissions = [
  ...['camera', 'microphone', 'display-capture', 'fullscreen', 'picture-in-picture'].map(
    (name) => `${name}=(self)`,
  ),
  ...['geolocation', 'payment', 'usb', 'serial', 'hid', 'midi'].map((name) => `${name}=()`),
].join(', ');

/** Helmet's headers, for pages. They are the same on every answer, so they are computed once. */
export function secureHeaders(config: Used): RequestHandler {
  const usual = headersOf(config, []);
  const framed = headersOf(config, config.EMBED_ORIGINS);
  return (request, response, next) => {
    for (const [name, value] of request.path.startsWith(embedded) ? framed : usual)
      response.setHeader(name, value);
    next();
  };
}

function headersOf(config: Used, framedBy: string[]): [string, string][] {
  const headers: [string, string][] = [];
  const collector = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => {},
  };
  protection(config, framedBy)({} as never, collector as never, (error?: unknown) => {
    if (error) throw error as Error;
  });
  headers.push(['Permissions-Policy', permissions]);
  return headers;
}

/** @param framedBy other origins whose pages may show this page in a frame */
function protection({ isProduction, ...config }: Used, framedBy: string[]) {
  return helmet({
    contentSecurityPolicy: {
      directives: {
        // The effects of @parley/sdk/effects are WebAssembly. This allows no eval() of JavaScript.
        scriptSrc: ["'self'", "'wasm-unsafe-eval'"],
        // 'self' includes the WebSocket of the same origin.
        connectSrc: ["'self'", ...providersOrigins(config)],
        imgSrc: ["'self'", 'data:', 'blob:'],
        mediaSrc: ["'self'", 'blob:', 'mediastream:'],
        fontSrc: ["'self'"],
        frameAncestors: ["'self'", ...framedBy],
        // Mantine writes its theme into <style> elements. The page is a static file, so it cannot give them a nonce.
        styleSrc: ["'self'", "'unsafe-inline'"],
        // Development pages use plain http.
        upgradeInsecureRequests: isProduction ? [] : null,
      },
    },
    // The older header for frames, which knows only one origin. Where it contradicts frame-ancestors, browsers ignore it.
    xFrameOptions: framedBy.length === 0,
    // Subdomains are not included, because they may belong to other services.
    strictTransportSecurity: isProduction && { maxAge: 31_536_000, includeSubDomains: false },
    // Pages of other origins load /sdk/parley.js.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  });
}

/** Origins of the identity provider that the console connects to; none if the console offers no sign-in with it. */
function providersOrigins({
  OIDC_ISSUER,
  OIDC_CLIENT_ID,
  OIDC_ORIGINS,
}: Omit<Used, 'isProduction' | 'EMBED_ORIGINS'>): string[] {
  if (!OIDC_ISSUER || !OIDC_CLIENT_ID) return [];
  return [new URL(OIDC_ISSUER).origin, ...OIDC_ORIGINS];
}
