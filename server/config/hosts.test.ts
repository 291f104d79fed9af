import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { createHosts } from './hosts.ts';

const production = {
  NODE_ENV: 'production',
  SECRET_KEY: '9f86d081884c7d659a2feaa0c55ad015',
  PUBLIC_URL: 'https://Calls.example.org',
};
const isRefused = (env: NodeJS.ProcessEnv, host?: string) =>
  createHosts(readConfig(env))({ headers: host === undefined ? {} : { host } }) !== null;

it.each([
  'calls.example.org',
  'CALLS.example.org.:443',
  'app.example',
  'parley:3000',
  '10.1.2.3:3000',
  '[::1]:3000',
  undefined,
])('accepts %s in production', (host) => {
  expect(isRefused({ ...production, ALLOWED_ORIGINS: 'https://app.example,capacitor://shell' }, host)).toBe(
    false,
  );
});

it.each(['evil.example', 'calls.example.org.evil.example', 'shell.app', 'a b', '', '@localhost'])(
  'refuses "%s" in production',
  (host) => expect(isRefused({ ...production, ALLOWED_ORIGINS: 'capacitor://shell.app' }, host)).toBe(true),
);

it('accepts only the names of this machine in development', () => {
  for (const host of ['localhost:3000', hostname(), `${hostname()}.local:3000`, '192.168.1.7:3000'])
    expect([host, isRefused({}, host)]).toEqual([host, false]);
  for (const host of ['evil.example:3000', 'evil', 'notlocalhost'])
    expect([host, isRefused({}, host)]).toEqual([host, true]);
});

it('reports every refusal, and still accepts an accepted name afterwards', () => {
  const refused: string[] = [];
  const refuse = createHosts(readConfig({}), (name) => refused.push(name));
  const answers = ['localhost:1', 'evil.example:1', 'localhost:1', 'evil.example:1'].map(
    (host) => refuse({ headers: { host } }) === null,
  );
  expect(answers).toEqual([true, false, true, false]);
  expect(refused).toEqual(['evil.example', 'evil.example']);
});
