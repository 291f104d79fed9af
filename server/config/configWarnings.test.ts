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
  configWarnings(readConfig(env, flags), supported).join('\n');

it.each([
  ['a laptop', {}],
  ['a name of the local network', { PUBLIC_URL: 'http://parley.local:3000', HOST: '127.0.0.1' }],
  ['a private address', { PUBLIC_URL: 'http://192.168.1.7:3000', HOST: '127.0.0.1' }],
])('says nothing about %s', (_, env) => {
  expect(warningsFor(env)).toBe('');
});

it.each([
  ['0.0.0.0', { HOST: '0.0.0.0' }],
  ['https://parley.example', { PUBLIC_URL: 'https://parley.example' }],
  ['http://203.0.113.7', { PUBLIC_URL: 'http://203.0.113.7' }],
])('warns of a development server that strangers reach by %s', (address, env) => {
  expect(warningsFor(env)).toContain(address);
  expect(warningsFor(env)).toContain('NODE_ENV=production');
});

it('lets phones of the same network reach a development server by --https', () => {
  expect(warningsFor({}, { https: true })).toBe('');
});

it('names what production sells without a provider', () => {
  expect(warningsFor(production)).toMatch(/CARRIER=loopback.*fictional[^]*ESIM_DRIVER=loopback/);
});

it('names a release of Node that has no more security fixes', () => {
  expect(configWarnings(readConfig({}), '20.20.2').join()).toContain('Use Node 24');
  expect(configWarnings(readConfig({}), '22.20.0')).toEqual([]);
});

it('says that strangers may fill the disk where files have no bound in sum', () => {
  expect(warningsFor(production)).toMatch(/FILES_MEGABYTES=0.*Set it to/);
  expect(warningsFor({ ...production, FILES_MEGABYTES: '50000' })).not.toContain('FILES_MEGABYTES');
  const shared = { REDIS_URL: 'redis://127.0.0.1', DATABASE_URL: 'postgres://127.0.0.1/parley' };
  expect(warningsFor({ ...production, ...shared, ROLES: 'media' })).not.toContain('FILES_MEGABYTES');
  expect(warningsFor({})).not.toContain('FILES_MEGABYTES');
});
