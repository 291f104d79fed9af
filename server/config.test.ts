import { describe, expect, it } from 'vitest';
import { ConfigError, helpText, readConfig, settings } from './config.ts';

const problemsOf = (env: NodeJS.ProcessEnv): string => {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
};
const production = {
  NODE_ENV: 'production',
  SECRET_KEY: 'k'.repeat(32),
  PUBLIC_URL: 'https://parley.example',
};

describe('readConfig', () => {
  it('runs without any setting', () => {
    expect(readConfig({})).toMatchObject({
      PORT: 3000,
      HOST: '127.0.0.1',
      isProduction: false,
      https: false,
    });
  });

  it('takes an empty variable for one that is not set', () => {
    const names = Object.keys(settings);
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  it('refuses a carrier without what it needs', () => {
    expect(problemsOf({ CARRIER: 'smpp' })).toContain('SMPP_URL: CARRIER=smpp needs it');
    const twilio = problemsOf({ CARRIER: 'twilio' });
    for (const name of ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'PUBLIC_URL'])
      expect(twilio).toContain(`${name}: CARRIER=twilio needs it`);
    const half = problemsOf({
      CARRIER: 'smpp',
      SMPP_URL: 'smpp://user:hidden@',
      SMPP_CA_FILE: '/nowhere/ca.pem',
    });
    expect(half).toContain('SMPP_URL: not smpp://');
    expect(half).toContain('SMPP_CA_FILE: this file can’t be read');
    expect(half).not.toContain('hidden');
    const whole = { CARRIER: 'smpp', SMPP_URL: 'smpps://user:p%40ss@[::1]:3550' };
    expect(readConfig(whole)).toMatchObject(whole);
  });

  it('names every problem at once', () => {
    const wrong = {
      PORT: 'abc',
      LOG_LEVEL: 'loud',
      PUBLIC_URL: 'nonsense',
      TRUST_PROXY: 'true',
      MEDIA_WORKERS: '0',
    };
    const message = problemsOf({ ...wrong, NODE_ENV: 'production' });
    for (const name of [...Object.keys(wrong), 'SECRET_KEY']) expect(message).toContain(`- ${name}: `);
    expect(message).toContain('--help');
  });

  it('refuses production without its secrets, and starts it with them', () => {
    const message = problemsOf({ NODE_ENV: 'production' });
    expect(message).toContain('- SECRET_KEY: ');
    expect(message).toContain('- PUBLIC_URL: ');
    expect(problemsOf({ ...production, SECRET_KEY: '' })).toContain('- SECRET_KEY: ');
    expect(readConfig(production).isProduction).toBe(true);
  });

  it('never repeats a secret', () => {
    const message = problemsOf({
      SECRET_KEY: 'too-short-secret',
      DATABASE_URL: 'mysql://user:hunter2@host/db',
    });
    expect(message).toContain('- SECRET_KEY: ');
    expect(message).toContain('- DATABASE_URL: ');
    expect(message).not.toMatch(/too-short-secret|hunter2/);
  });

  it.each([
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '0x50'],
    ['PORT', '1e3'],
    ['PORT', ' '],
    ['PORT', '80.5'],
    ['HOST', 'example.org'],
    ['PUBLIC_URL', 'https://parley.example/path'],
    ['PUBLIC_URL', 'https://user:word@parley.example'],
    ['PUBLIC_URL', 'https://parley.example/?x'],
    ['PUBLIC_URL', 'ftp://parley.example'],
    ['PUBLIC_URL', 'javascript:alert(1)'],
    ['ALLOWED_ORIGINS', 'https://a.example,nonsense'],
    ['ALLOWED_ORIGINS', '*'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '-1'],
    ['TRUST_PROXY', '1.5'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.0/8/8'],
    ['CALL_RING_SECONDS', '0'],
    ['CALL_RING_SECONDS', 'Infinity'],
    ['RATE_LIMIT_REALTIME', '-5'],
    ['LOG_PRETTY', 'yes'],
    ['NODE_ENV', 'prod'],
    ['MEDIA_WORKERS', '257'],
    ['SIGNUP_CREDITS', '1.5'],
    ['RATE_LIMIT_WRITES', '0'],
    ['PLANS', 'none'],
    ['PLANS', '{}'],
    ['PLANS', '[{"id":"a","name":"A","monthlyCredits":1,"price":15}]'],
    ['PLANS', '[{"id":"A b","name":"A","monthlyCredits":1,"price":"15.00"}]'],
    [
      'PLANS',
      '[{"id":"a","name":"A","monthlyCredits":1,"price":"1.00"},{"id":"a","name":"B","monthlyCredits":1,"price":"1.00"}]',
    ],
  ])('refuses %s=%s', (name, value) => {
    expect(problemsOf({ [name]: value })).toContain(`- ${name}: `);
  });

  it('writes origins as browsers do', () => {
    const { PUBLIC_URL, ALLOWED_ORIGINS } = readConfig({
      PUBLIC_URL: 'HTTPS://Parley.Example:443/',
      ALLOWED_ORIGINS: ' https://a.example/ , http://b.example:8080,',
    });
    expect(PUBLIC_URL).toBe('https://parley.example');
    expect(ALLOWED_ORIGINS).toEqual(['https://a.example', 'http://b.example:8080']);
  });

  it('knows proxies by number, address, network and name', () => {
    expect(readConfig({ TRUST_PROXY: '2' }).TRUST_PROXY).toBe(2);
    expect(readConfig({ TRUST_PROXY: 'loopback, 10.0.0.0/8,fd00::/8,192.0.2.1' }).TRUST_PROXY).toEqual([
      'loopback',
      '10.0.0.0/8',
      'fd00::/8',
      '192.0.2.1',
    ]);
  });

  it('listens on numbers: media workers know no names', () => {
    expect(readConfig({ HOST: 'localhost' }).HOST).toBe('127.0.0.1');
    expect(readConfig({ HOST: '::' }).HOST).toBe('::');
  });

  it('refuses ports that two parts would need', () => {
    expect(problemsOf({ PORT: '20001', MEDIA_PORT: '20000', MEDIA_WORKERS: '2' })).toContain(
      '- MEDIA_PORT: ',
    );
    expect(problemsOf({ MEDIA_PORT: '65535', MEDIA_WORKERS: '2' })).toContain('- MEDIA_PORT: ');
    expect(problemsOf({ PORT: '20002', MEDIA_PORT: '20000', MEDIA_WORKERS: '2' })).toBe('');
  });

  it('opens --https to the network, unless HOST says otherwise', () => {
    expect(readConfig({}, { https: true }).HOST).toBe('0.0.0.0');
    expect(readConfig({ HOST: '127.0.0.1' }, { https: true }).HOST).toBe('127.0.0.1');
  });
});

describe('helpText', () => {
  it.each(Object.keys(settings))('lists %s', (name) => {
    expect(helpText()).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
  });
});
