import { expect, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { secureHeaders } from './secureHeaders.ts';

const production = {
  NODE_ENV: 'production',
  SECRET_KEY: '9f86d081884c7d659a2feaa0c55ad015',
  PUBLIC_URL: 'https://parley.example',
};

function headersOf(env: NodeJS.ProcessEnv, path = '/rooms'): Map<string, string> {
  const headers = new Map<string, string>();
  const response = { setHeader: (name: string, value: string) => headers.set(name.toLowerCase(), value) };
  secureHeaders(readConfig(env))({ path } as never, response as never, () => undefined);
  return headers;
}

it('lets pages load content only from this origin, and use the camera and microphone', () => {
  const headers = headersOf({});
  const policy = headers.get('content-security-policy')?.split(';') ?? [];
  expect(policy).toEqual(
    expect.arrayContaining([
      "font-src 'self'",
      "script-src 'self' 'wasm-unsafe-eval'",
      "style-src 'self' 'unsafe-inline'",
    ]),
  );
  const permissions = headers.get('permissions-policy')?.split(', ') ?? [];
  expect(permissions).toEqual(
    expect.arrayContaining(['camera=(self)', 'microphone=(self)', 'geolocation=()']),
  );
});

it('requires https only in production, and only for this host', () => {
  expect(headersOf(production).get('strict-transport-security')).toBe('max-age=31536000');
  expect(headersOf({}).has('strict-transport-security')).toBe(false);
});

it('lets pages of EMBED_ORIGINS show embedded pages in a frame, and no other page', () => {
  const env = { EMBED_ORIGINS: 'https://www.example.org' };
  const framedBy = (headers: Map<string, string>) =>
    headers.get('content-security-policy')?.match(/frame-ancestors ([^;]*)/)?.[1];
  expect(framedBy(headersOf(env, '/embed/room/room_1'))).toBe("'self' https://www.example.org");
  expect(headersOf(env, '/embed/room/room_1').has('x-frame-options')).toBe(false);
  expect(framedBy(headersOf(env, '/rooms'))).toBe("'self'");
  expect(headersOf(env, '/rooms').get('x-frame-options')).toBe('SAMEORIGIN');
  expect(framedBy(headersOf({}, '/embed/room/room_1'))).toBe("'self'");
});
