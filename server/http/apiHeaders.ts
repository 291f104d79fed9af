import type { RequestHandler } from 'express';
import type { Origins } from '../config/origins.ts';
import { allowOrigins } from './allowOrigins.ts';

/**
 * Headers of every answer under /api. Most headers that protect pages do not apply to JSON, which loads nothing and is shown in no
 * frame. Answers may be personal, so they are not cached.
 */
export function apiHeaders(origins: Origins, isProduction: boolean): RequestHandler {
  const allow = allowOrigins(origins);
  const headers: [string, string][] = [
    ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
    ['Cross-Origin-Resource-Policy', 'cross-origin'],
    ['Referrer-Policy', 'no-referrer'],
    ['X-Content-Type-Options', 'nosniff'],
    ['Cache-Control', 'no-store'],
  ];
  // The same duration as for pages (secureHeaders.ts).
  if (isProduction) headers.push(['Strict-Transport-Security', 'max-age=31536000']);
  return (request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    allow(request, response, next);
  };
}
