import { expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { configWarnings } from './configWarnings.ts';

const supported = '24.18.0';
const production = {
  NODE_ENV: 'production',
  SECRET_KEY: '9f86d081884c7d659a2feaa0c55ad015',
  PUBLIC_URL: 'https://parley.example',
};
const warningsFor = (env: NodeJS.ProcessEnv, flags = {}) =>
  configWarnings(readConfig(env, flags), supported, env).join('\n');

it.each([
  ['a laptop', {}],
  ['a local host name', { PUBLIC_URL: 'http://parley.local:3000', HOST: '127.0.0.1' }],
  ['a private address', { PUBLIC_URL: 'http://192.168.1.7:3000', HOST: '127.0.0.1' }],
  ['a private address of IPv6', { PUBLIC_URL: 'http://[fd00::7]:3000', HOST: '127.0.0.1' }],
])('does not warn about %s', (_, env) => {
  expect(warningsFor(env)).toBe('');
});

it.each([
  ['0.0.0.0', { HOST: '0.0.0.0' }],
  ['https://parley.example', { PUBLIC_URL: 'https://parley.example' }],
  ['http://203.0.113.7', { PUBLIC_URL: 'http://203.0.113.7' }],
  ['http://[2a01:4f8::7]', { PUBLIC_URL: 'http://[2a01:4f8::7]' }],
])('warns about a development server that strangers can reach at %s', (address, env) => {
  expect(warningsFor(env)).toContain(address);
  expect(warningsFor(env)).toContain('NODE_ENV=production');
});

it('does not warn about a development server with --https', () => {
  expect(warningsFor({}, { https: true })).toBe('');
});

it('warns about loopback providers in production', () => {
  expect(warningsFor(production)).toMatch(/CARRIER=loopback.*fictional[^]*ESIM_DRIVER=loopback/);
});

it('warns about a carrier without numbers that texts could be sent from', () => {
  const smpp = { ...production, CARRIER: 'smpp', SMPP_URL: 'smpp://user:secret@127.0.0.1:2775' };
  expect(warningsFor(smpp)).toContain('CARRIER=smpp without SMS_POOL_NUMBERS');
  expect(warningsFor({ ...smpp, SMS_POOL_NUMBERS: '+12025550142' })).not.toContain('SMS_POOL_NUMBERS');
});

it('warns about an announced address of IPv6 while the server listens for IPv4 only', () => {
  const announced = { MEDIA_ANNOUNCED_ADDRESS: '203.0.113.7,2001:db8::7,media.example.org' };
  expect(warningsFor({ ...announced, HOST: '0.0.0.0' })).toContain(
    'names 2001:db8::7, but HOST=0.0.0.0 listens',
  );
  expect(warningsFor({ ...announced, HOST: '::' })).not.toContain('MEDIA_ANNOUNCED_ADDRESS');
});

it('warns about a Node release without security fixes', () => {
  expect(configWarnings(readConfig({}), '20.20.2').join()).toContain('Use Node 24');
  expect(configWarnings(readConfig({}), '22.20.0')).toEqual([]);
});

it('warns about unlimited file storage', () => {
  expect(warningsFor(production)).toMatch(/FILES_MEGABYTES=0.*Set it to/);
  expect(warningsFor({ ...production, FILES_MEGABYTES: '50000' })).not.toContain('FILES_MEGABYTES');
  const shared = { REDIS_URL: 'redis://127.0.0.1', DATABASE_URL: 'postgres://127.0.0.1/parley' };
  expect(warningsFor({ ...production, ...shared, ROLES: 'media' })).not.toContain('FILES_MEGABYTES');
  expect(warningsFor({})).not.toContain('FILES_MEGABYTES');
});

it('warns about names that are nearly those of settings', () => {
  expect(warningsFor({ MEDIA_ANOUNCED_ADDRESS: '203.0.113.7', KEEP_CALL_DAYS: '30' })).toBe(
    'MEDIA_ANOUNCED_ADDRESS is no setting and has no effect. Did you mean MEDIA_ANNOUNCED_ADDRESS?\n' +
      'KEEP_CALL_DAYS is no setting and has no effect. Did you mean KEEP_CALLS_DAYS?',
  );
  const others = {
    HTTP_PORT: '80',
    HOSTNAME: 'a',
    SHELL: 'b',
    OTEL_EXPORTER_OTLP_HEADERS: 'c',
    POSTGRES_URL: 'd',
  };
  expect(warningsFor(others)).toBe('');
});

it('warns about media that only this machine can reach', () => {
  expect(warningsFor(production)).toContain('HOST=127.0.0.1: media listens there');
  expect(warningsFor({ ...production, HOST: '0.0.0.0' })).not.toContain('HOST');
  expect(warningsFor({ ...production, PUBLIC_URL: 'http://127.0.0.1:3000' })).not.toContain('HOST');
});
