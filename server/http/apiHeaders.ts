import type { RequestHandler } from 'express';
import type { Origins } from '../config/origins.ts';
import { allowOrigins } from './allowOrigins.ts';

/**
 * What every answer under /api carries. JSON loads nothing and is shown in no frame, so most of what protects pages says nothing about
 * it; and what a route says about somebody is not for caches.
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
  // As long as the pages'.
  if (isProduction) headers.push(['Strict-Transport-Security', 'max-age=31536000']);
  return (request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    allow(request, response, next);
  };
}
