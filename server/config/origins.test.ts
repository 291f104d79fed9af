import { expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { createOrigins, refusalLog } from './origins.ts';

const production = {
  NODE_ENV: 'production',
  SECRET_KEY: '9f86d081884c7d659a2feaa0c55ad015',
  PUBLIC_URL: 'https://parley.example',
};

it('treats the three loopback names as the public address in development', () => {
  const { publicUrl, isOwn, isAllowed } = createOrigins(readConfig({ PORT: '4000' }));
  expect(publicUrl).toBe('http://127.0.0.1:4000');
  for (const origin of ['http://localhost:4000', 'http://127.0.0.1:4000', 'http://[::1]:4000']) {
    expect([origin, isOwn(origin), isAllowed(origin)]).toEqual([origin, true, true]);
  }
});

it.each([
  'http://localhost:5173',
  'https://localhost:4000',
  'http://127.0.0.1',
  'http://[::1]:8080',
  'http://10.0.2.2:4000',
])('allows %s in development without treating it as its own', (origin) => {
  const { isOwn, isAllowed } = createOrigins(readConfig({ PORT: '4000' }));
  expect([isOwn(origin), isAllowed(origin)]).toEqual([false, true]);
  expect(createOrigins(readConfig({ ...production, PORT: '4000' })).isAllowed(origin)).toBe(false);
});

it.each([
  'http://127.0.0.2:4000',
  'http://localhost.evil.example:4000',
  'http://10.0.2.2:4001',
  'http://localhost:5173/',
  'http://user@localhost:5173',
  'capacitor://localhost',
  'file://',
  'null',
  '',
])('refuses the origin "%s"', (origin) => {
  const { isOwn, isAllowed } = createOrigins(readConfig({ PORT: '4000' }));
  expect([isOwn(origin), isAllowed(origin)]).toEqual([false, false]);
});

it('allows only the public address in production', () => {
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

it('allows origins of ALLOWED_ORIGINS without treating them as its own', () => {
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

it('uses the network address with --https', () => {
  const { publicUrl, isOwn } = createOrigins(readConfig({ PORT: '443' }, { https: true }), '192.0.2.7');
  expect(publicUrl).toBe('https://192.0.2.7');
  expect(isOwn('https://192.0.2.7')).toBe(true);
});

it.each([
  ['192.0.2.7', 'https://192.0.2.7:4000'],
  ['2001:db8::7', 'https://[2001:db8::7]:4000'],
  ['0.0.0.0', 'https://127.0.0.1:4000'],
])('uses the address that HOST=%s listens on: %s', (HOST, url) => {
  const { publicUrl, isOwn } = createOrigins(readConfig({ PORT: '4000', HOST }, { https: true }));
  expect(publicUrl).toBe(url);
  expect(isOwn(url)).toBe(true);
});

it('allows listed app shells, and pages without an origin only if null is listed', () => {
  const shells = ['capacitor://localhost', 'ionic://localhost', 'tauri://localhost', 'app://parley'];
  const { isOwn, isAllowed } = createOrigins(
    readConfig({ ...production, ALLOWED_ORIGINS: `${shells.join()},APP://Other/` }),
  );
  for (const origin of [...shells, 'app://other'])
    expect([isAllowed(origin), isOwn(origin)]).toEqual([true, false]);
  for (const origin of ['capacitor://elsewhere', 'ionic://localhost:1', 'null', 'file://'])
    expect(isAllowed(origin)).toBe(false);
  const sandboxed = createOrigins(readConfig({ ...production, ALLOWED_ORIGINS: 'null' }));
  for (const origin of ['null', 'file://']) expect(sandboxed.isAllowed(origin)).toBe(true);
  expect(sandboxed.isAllowed('capacitor://localhost')).toBe(false);
});

it('logs each refused origin once, and at most a hundred of them', () => {
  const lines: object[] = [];
  const log = refusalLog({ warn: (details) => lines.push(details) });
  const { isAllowed } = createOrigins(readConfig({ ...production }), null, log);
  for (let page = 0; page < 300; page++) isAllowed(`https://${page % 150}.example`);
  isAllowed('https://0.example');
  expect(lines).toHaveLength(100);
  expect(lines[0]).toEqual({ origin: 'https://0.example' });
});
