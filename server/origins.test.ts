import { expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { createOrigins } from './origins.ts';

const production = {
  NODE_ENV: 'production',
  SECRET_KEY: 'k'.repeat(32),
  PUBLIC_URL: 'https://parley.example',
};

it('counts the three names of this machine as the public address, in development', () => {
  const { publicUrl, isOwn, isAllowed } = createOrigins(readConfig({ PORT: '4000' }));
  expect(publicUrl).toBe('http://127.0.0.1:4000');
  for (const origin of ['http://localhost:4000', 'http://127.0.0.1:4000', 'http://[::1]:4000']) {
    expect([origin, isOwn(origin), isAllowed(origin)]).toEqual([origin, true, true]);
  }
});

it.each([
  'http://localhost:4001',
  'https://localhost:4000',
  'http://localhost',
  'http://127.0.0.2:4000',
  'null',
  '',
])('knows no %s', (origin) => {
  const { isOwn, isAllowed } = createOrigins(readConfig({ PORT: '4000' }));
  expect([isOwn(origin), isAllowed(origin)]).toEqual([false, false]);
});

it('knows the public address alone in production', () => {
  const { publicUrl, isOwn, isAllowed } = createOrigins(readConfig({ ...production, PORT: '4000' }));
  expect(publicUrl).toBe('https://parley.example');
  expect(isOwn('https://parley.example')).toBe(true);
  for (const origin of [
    'http://localhost:4000',
    'http://127.0.0.1:4000',
    'http://[::1]:4000',
    'http://parley.example',
  ])
    expect(isAllowed(origin)).toBe(false);
});

it('allows others without taking them for its own', () => {
  const { isOwn, isAllowed } = createOrigins(
    readConfig({ ...production, ALLOWED_ORIGINS: 'https://app.example' }),
  );
  expect(isAllowed('https://app.example')).toBe(true);
  expect(isOwn('https://app.example')).toBe(false);
  for (const origin of [
    'https://app.example.evil',
    'https://sub.app.example',
    'https://APP.example',
    'https://app.example/',
  ])
    expect(isAllowed(origin)).toBe(false);
});

it('is reached under the network address with --https', () => {
  const { publicUrl, isOwn } = createOrigins(readConfig({ PORT: '443' }, { https: true }), '192.0.2.7');
  expect(publicUrl).toBe('https://192.0.2.7');
  expect(isOwn('https://192.0.2.7')).toBe(true);
});
