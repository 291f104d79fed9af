import * as os from 'node:os';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { helpText, readConfig } from './config.ts';
import { ConfigError } from '../../platform/ConfigError.ts';
import { givesTrialCredits } from './configWarnings.ts';
import { settings } from './settings.ts';

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
  SECRET_KEY: '9f86d081884c7d659a2feaa0c55ad015',
  PUBLIC_URL: 'https://parley.example',
};

describe('readConfig', () => {
  it('needs no setting', () => {
    expect(readConfig({})).toMatchObject({
      PORT: 3000,
      HOST: '127.0.0.1',
      isProduction: false,
      https: false,
    });
  });

  it('needs no setting on a machine with more cores than there may be workers', async () => {
    vi.doMock('node:os', () => ({ ...os, availableParallelism: () => 384 }));
    vi.resetModules();
    onTestFinished(() => {
      vi.doUnmock('node:os');
      vi.resetModules();
    });
    const { readConfig } = await import('./config.ts');
    expect(readConfig({})).toMatchObject({ MEDIA_WORKERS: 256, STREAM_TRANSCODES: 256 });
  });

  it('treats an empty variable as not set', () => {
    const names = Object.keys(settings);
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  it('refuses a carrier without its required settings', () => {
    expect(problemsOf({ CARRIER: 'smpp' })).toContain('SMPP_URL: CARRIER=smpp requires it');
    const twilio = problemsOf({ CARRIER: 'twilio' });
    for (const name of ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'PUBLIC_URL'])
      expect(twilio).toContain(`${name}: CARRIER=twilio requires it`);
    const half = problemsOf({
      CARRIER: 'smpp',
      SMPP_URL: 'smpp://user:hidden@',
      SMPP_CA_FILE: '/nowhere/ca.pem',
    });
    expect(half).toContain('SMPP_URL: not of the form smpp://');
    expect(half).toContain('SMPP_CA_FILE: this file cannot be read');
    expect(half).not.toContain('hidden');
    const whole = { CARRIER: 'smpp', SMPP_URL: 'smpps://user:p%40ss@[::1]:3550' };
    expect(readConfig(whole)).toMatchObject(whole);
  });

  it('refuses a push service without its required settings', () => {
    const problems = problemsOf({ PUSH: 'web,fcm,apns' });
    for (const name of ['APNS_KEY', 'APNS_KEY_ID', 'APNS_TEAM_ID', 'APNS_TOPIC'])
      expect(problems).toContain(`${name}: PUSH=apns requires it`);
    expect(problems).toContain('FCM_SERVICE_ACCOUNT: PUSH=fcm requires it');
    const wrong = problemsOf({
      FCM_SERVICE_ACCOUNT: '{"private_key":"hidden"}',
      APNS_KEY: '/nowhere/key.p8',
    });
    expect(wrong).toContain('FCM_SERVICE_ACCOUNT: not the JSON of a service account');
    expect(wrong).toContain('APNS_KEY: neither the content nor the path of a file that can be read');
    expect(wrong).not.toContain('hidden');
    // As docker run --env-file passes them.
    const quoted = { FCM_SERVICE_ACCOUNT: `'{"private_key":"hidden"}'`, APNS_KEY: '"-----BEGIN hidden"' };
    expect(problemsOf(quoted)).toMatch(/FCM_SERVICE_ACCOUNT: neither .*\n.*APNS_KEY: neither /);
    expect(problemsOf(quoted)).not.toContain('hidden');
    expect(readConfig({})).toMatchObject({ PUSH: ['web'], PUSH_ALLOW_LOOPBACK: false });
  });

  it('lists all problems at once', () => {
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

  it('requires the secrets in production', () => {
    const message = problemsOf({ NODE_ENV: 'production' });
    expect(message).toContain('- SECRET_KEY: ');
    expect(message).toContain('- PUBLIC_URL: ');
    expect(problemsOf({ ...production, SECRET_KEY: '' })).toContain('- SECRET_KEY: ');
    expect(readConfig(production).isProduction).toBe(true);
  });

  it.each([
    ['SECRET_KEY', 'a'.repeat(32), 'too few different characters'],
    ['PUBLIC_URL', 'http://parley.example', 'needs https'],
    ['WEBHOOK_ALLOW_LOOPBACK', 'true', 'Unset it in production'],
    ['PUSH_ALLOW_LOOPBACK', 'true', 'Unset it in production'],
  ])('refuses %s=%s only in production', (name, value, why) => {
    expect(problemsOf({ ...production, [name]: value })).toMatch(new RegExp(`- ${name}: .*${why}`));
    expect(problemsOf({ [name]: value })).toBe('');
  });

  it.each([
    [
      { TURN: 'auto', TURN_URLS: 'turn:a', TURN_SECRET: 's' },
      'Unset TURN_URLS and TURN_SECRET, or unset TURN',
    ],
    [{ TURN_URLS: 'turn:turn.example.org' }, 'TURN_SECRET: required by TURN_URLS'],
    [{ TURN_SECRET: 's' }, 'TURN_URLS: required by TURN_SECRET'],
    [{ TURN_TLS_PORT: '443' }, 'TURN_TLS_PORT: used only with TURN=auto'],
    [{ TURN: 'auto', TURN_TLS_PORT: '443' }, 'TURN_CERT_FILE and TURN_KEY_FILE: required by TURN_TLS_PORT'],
    [{ TURN: 'auto', TURN_CERT_FILE: '/nowhere' }, 'TURN_CERT_FILE and TURN_KEY_FILE: set both or none'],
    [
      { TURN: 'auto', TURN_CERT_FILE: '/nowhere', TURN_KEY_FILE: '/nowhere' },
      'TURN_KEY_FILE: this file cannot',
    ],
    [{ TURN: 'auto', TURN_PORT: '3000' }, 'TURN_PORT: port 3000 is used by another setting'],
    [{ TURN: 'auto', TURN_PORT: '3000', TURN_HOST: '0.0.0.0' }, 'TURN_PORT: port 3000 is used by another'],
    [{ TURN: 'auto', METRICS_PORT: '3478' }, 'TURN_PORT: port 3478 is used by another setting'],
    [{ TURN: 'auto', REDIS_URL: 'redis://a', TURN_TLS_PORT: '443' }, 'TURN_NAME: required by TURN_TLS_PORT'],
  ])('refuses %o', (given, problem) => {
    expect(problemsOf(given)).toContain(problem);
  });

  it.each([
    [{ ROLES: 'api,sfu' }, ['ROLES']],
    [{ S3_BUCKET: 'x', S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' }, ['S3_BUCKET']],
    [{ CARRIER: 'smpp', SMPP_URL: 'smsc.example.org' }, ['SMPP_URL']],
    [{ TURN_URLS: 'turn://turn.example.org', TURN_SECRET: 's' }, ['TURN_URLS']],
    [{ TURN_URLS: 'turn:', TURN_SECRET: 's' }, ['TURN_URLS']],
    [{ MEDIA_ANNOUNCED_ADDRESS: 'https://203.0.113.7' }, ['MEDIA_ANNOUNCED_ADDRESS']],
    [{ MEDIA_ANNOUNCED_ADDRESS: '203.0.113.7:20000' }, ['MEDIA_ANNOUNCED_ADDRESS']],
  ])('names only what is wrong in %o', (given, names) => {
    const named = [...problemsOf(given).matchAll(/^ {2}- (\w+): /gm)].map(([, name]) => name);
    expect(named).toEqual(names);
  });

  it('understands addresses for clients', () => {
    const TURN_URLS = 'turn:turn.example.org,turns:203.0.113.7:443?transport=tcp,turn:[2001:db8::1]:3478';
    const MEDIA_ANNOUNCED_ADDRESS = '203.0.113.7,2001:db8::1,media.example.org';
    const config = readConfig({ TURN_URLS, TURN_SECRET: 's', MEDIA_ANNOUNCED_ADDRESS });
    expect(config.TURN_URLS.join()).toBe(TURN_URLS);
    expect(config.MEDIA_ANNOUNCED_ADDRESS.join()).toBe(MEDIA_ANNOUNCED_ADDRESS);
  });

  it('says which addresses of databases it understands', () => {
    const problems = problemsOf({
      DATABASE_URL: 'postgres://parley:a/b@host/db',
      REDIS_URL: 'localhost:6379',
    });
    expect(problems).toMatch(/- DATABASE_URL: use postgres:\/\/.*%2F[^]*- REDIS_URL: use redis:\/\//);
  });

  it('does not repeat secrets in error messages', () => {
    const message = problemsOf({
      SECRET_KEY: 'too-short-secret',
      DATABASE_URL: 'mysql://user:hunter2@host/db',
    });
    expect(message).toContain('- SECRET_KEY: ');
    expect(message).toContain('- DATABASE_URL: use postgres://');
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
    ['ALLOWED_ORIGINS', 'javascript://a'],
    ['ALLOWED_ORIGINS', 'file://'],
    ['ALLOWED_ORIGINS', 'capacitor://localhost/path'],
    ['ALLOWED_ORIGINS', 'capacitor://'],
    ['ALLOWED_ORIGINS', 'app://user@host'],
    ['PUBLIC_URL', 'capacitor://localhost'],
    ['PUBLIC_URL', 'null'],
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

  it('says what ERASURE_CLEANING_HOUR may be', () => {
    for (const ERASURE_CLEANING_HOUR of ['never', '3:00'])
      expect(problemsOf({ ERASURE_CLEANING_HOUR })).toContain(
        '- ERASURE_CLEANING_HOUR: use an hour from 0 to',
      );
    expect(readConfig({ ERASURE_CLEANING_HOUR: 'off' }).ERASURE_CLEANING_HOUR).toBe('off');
  });

  it('names the field of a plan that is wrong or missing', () => {
    const plan = { id: 'team', name: 'Team', monthlyCredits: 2000, price: '15.00' };
    const PLANS = JSON.stringify([plan, { ...plan, id: undefined, price: 15 }]);
    expect(problemsOf({ PLANS })).toMatch(/- PLANS: id of item 2: .*; price of item 2: /);
  });

  it('normalises origins as browsers do', () => {
    const { PUBLIC_URL, ALLOWED_ORIGINS } = readConfig({
      PUBLIC_URL: 'HTTPS://Parley.Example:443/',
      ALLOWED_ORIGINS: ' https://a.example/ , http://b.example:8080,',
    });
    expect(PUBLIC_URL).toBe('https://parley.example');
    expect(ALLOWED_ORIGINS).toEqual(['https://a.example', 'http://b.example:8080']);
  });

  it('accepts trusted proxies by number, address, network and name', () => {
    expect(readConfig({ TRUST_PROXY: '2' }).TRUST_PROXY).toBe(2);
    expect(readConfig({ TRUST_PROXY: 'loopback, 10.0.0.0/8,fd00::/8,192.0.2.1' }).TRUST_PROXY).toEqual([
      'loopback',
      '10.0.0.0/8',
      'fd00::/8',
      '192.0.2.1',
    ]);
  });

  it('resolves localhost in HOST to an IP address', () => {
    expect(readConfig({ HOST: 'localhost' }).HOST).toBe('127.0.0.1');
    expect(readConfig({ HOST: '::' }).HOST).toBe('::');
  });

  it('refuses ports that are used twice', () => {
    expect(problemsOf({ PORT: '20001', MEDIA_PORT: '20000', MEDIA_WORKERS: '2' })).toContain(
      '- MEDIA_PORT: ',
    );
    expect(problemsOf({ MEDIA_PORT: '65535', MEDIA_WORKERS: '2' })).toContain('- MEDIA_PORT: ');
    expect(problemsOf({ PORT: '20002', MEDIA_PORT: '20000', MEDIA_WORKERS: '2' })).toBe('');
    expect(problemsOf({ PIPE_PORTS: '19000-20001', MEDIA_WORKERS: '2' })).toContain('- PIPE_PORTS: ');
    expect(problemsOf({ PIPE_PORTS: '20002-21000', MEDIA_WORKERS: '2' })).toBe('');
  });

  it('names all ports that are used twice', () => {
    const problems = problemsOf({ PORT: '20000', RTMP_PORT: '20000', METRICS_PORT: '20000' });
    expect(problems.match(/^ *- \w+/gm)?.map((line) => line.trim())).toEqual([
      '- MEDIA_PORT',
      '- RTMP_PORT',
      '- METRICS_PORT',
    ]);
  });

  it.each(['19000', '19000-', '19010-19000', '0-100', '65000-70000', 'a-b'])(
    'refuses %s as a port range',
    (text) => expect(problemsOf({ PIPE_PORTS: text })).toContain('- PIPE_PORTS: '),
  );

  it('requires the shared settings and the address of a cluster node', () => {
    const shared = {
      REDIS_URL: 'redis://redis:6379',
      DATABASE_URL: 'postgres://db/parley',
      SECRET_KEY: '9f86d081884c7d659a2feaa0c55ad015',
    };
    expect(readConfig({ ...shared, ROLES: 'media, media' })).toMatchObject({
      ROLES: ['media'],
      CLUSTER_PORT: 3900,
    });
    expect(problemsOf({ REDIS_URL: shared.REDIS_URL })).toMatch(/- DATABASE_URL: [^]*- SECRET_KEY: /);
    // A node with only some of the roles needs a cluster.
    expect(problemsOf({ ROLES: 'api' })).toMatch(/- REDIS_URL: [^]*- DATABASE_URL: [^]*- SECRET_KEY: /);
    expect(problemsOf({ ...shared, ROLES: 'api,sms' })).toContain('- ROLES: ');
    expect(problemsOf({ ...shared, ROLES: ',' })).toContain('- ROLES: ');
    expect(problemsOf({ ...shared, HOST: '0.0.0.0' })).toContain('- CLUSTER_HOST: ');
    expect(problemsOf({ ...shared, HOST: '0.0.0.0', CLUSTER_HOST: 'node1' })).toBe('');
    for (const CLUSTER_HOST of ['0.0.0.0', '::'])
      expect(problemsOf({ ...shared, CLUSTER_HOST })).toContain(`- CLUSTER_HOST: ${CLUSTER_HOST} means all`);
    const plain = problemsOf({ ...shared, REDIS_CA_FILE: '/nowhere/ca.pem' });
    expect(plain).toContain('REDIS_CA_FILE: only used with TLS');
    expect(plain).toContain('REDIS_CA_FILE: this file cannot be read');
    const folder = problemsOf({ ...shared, REDIS_URL: 'rediss://redis', REDIS_CA_FILE: import.meta.dirname });
    expect(folder).toContain('REDIS_CA_FILE: this file cannot be read');
  });

  it('accepts an earlier key only beside a new one', () => {
    const earlier = { SECRET_KEY_PREVIOUS: '9f86d081884c7d659a2feaa0c55ad015' };
    expect(problemsOf(earlier)).toContain('- SECRET_KEY_PREVIOUS: set SECRET_KEY to the new key');
    expect(problemsOf({ ...earlier, SECRET_KEY: earlier.SECRET_KEY_PREVIOUS })).toContain(
      '- SECRET_KEY_PREVIOUS: ',
    );
    expect(problemsOf({ ...earlier, SECRET_KEY: '2c624232cdd221771294dfbb310aca00' })).toBe('');
  });

  it('refuses a cluster port that is used twice', () => {
    const shared = { REDIS_URL: 'redis://r', DATABASE_URL: 'postgres://db', SECRET_KEY: 'k'.repeat(32) };
    expect(problemsOf({ ...shared, CLUSTER_PORT: '3000' })).toContain('- CLUSTER_PORT: ');
    expect(problemsOf({ ...shared, CLUSTER_PORT: '20000' })).toContain('- CLUSTER_PORT: ');
    expect(problemsOf({ ...shared, CLUSTER_PORT: '1935' })).toContain('- CLUSTER_PORT: ');
    expect(problemsOf({ CLUSTER_PORT: '3000' })).toBe('');
  });

  it('refuses a port for metrics that is used twice', () => {
    for (const METRICS_PORT of ['3000', '1935', '20000'])
      expect(problemsOf({ METRICS_PORT })).toContain('- METRICS_PORT: ');
    expect(problemsOf({ METRICS_PORT: '3900' })).toBe('');
    const shared = { REDIS_URL: 'redis://r', DATABASE_URL: 'postgres://db', SECRET_KEY: 'k'.repeat(32) };
    expect(problemsOf({ ...shared, METRICS_PORT: '3900' })).toContain('- METRICS_PORT: ');
  });

  it.each([
    ['LOOKUP_DRIVER', 'twilio', ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN']],
    ['LEAKSEARCH_DRIVER', 'hibp', ['HIBP_API_KEY']],
    ['ESIM_DRIVER', 'airalo', ['AIRALO_CLIENT_ID', 'AIRALO_CLIENT_SECRET']],
    ['XMPP_API_URL', 'http://127.0.0.1:5280/api', ['XMPP_DOMAIN']],
    ['XMPP_DOMAIN', 'xmpp.example', ['XMPP_API_URL']],
  ])('lists the settings that %s=%s requires', (name, value, needed) => {
    const problems = problemsOf({ [name]: value });
    for (const each of needed) expect(problems).toContain(`- ${each}: ${name}`);
    const good = (each: string) => (each.endsWith('_SID') ? `AC${'01'.repeat(16)}` : 'https://given.example');
    const given = Object.fromEntries(needed.map((each) => [each, good(each)]));
    expect(problemsOf({ [name]: value, ...given })).toBe('');
  });

  it('listens on all addresses with --https, unless HOST is set', () => {
    expect(readConfig({}, { https: true }).HOST).toBe('0.0.0.0');
    expect(readConfig({ HOST: '127.0.0.1' }, { https: true }).HOST).toBe('127.0.0.1');
  });
});

describe('an identity provider', () => {
  const issuer = { OIDC_ISSUER: 'https://id.example' };

  it('requires the issuer, and an audience or client id', () => {
    expect(problemsOf({ OIDC_CLIENT_ID: 'x', OIDC_NAME: 'y' })).toMatch(/OIDC_CLIENT_ID: .*\n.*OIDC_NAME: /);
    expect(problemsOf(issuer)).toContain('- OIDC_ISSUER: requires OIDC_AUDIENCE');
    expect(problemsOf({ ...issuer, OIDC_AUDIENCE: 'x' })).toBe('');
    expect(problemsOf({ ...issuer, OIDC_CLIENT_ID: 'x' })).toBe('');
  });

  it.each(['none', 'HS256', 'RS256,HS512', 'EdDSA'])('refuses the algorithm %s', (OIDC_ALGORITHMS) => {
    expect(problemsOf({ ...issuer, OIDC_AUDIENCE: 'x', OIDC_ALGORITHMS })).toContain('- OIDC_ALGORITHMS: ');
  });

  it('requires https in production', () => {
    const plain = {
      OIDC_ISSUER: 'http://id.example',
      OIDC_JWKS_URI: 'http://id.example/jwks',
      OIDC_AUDIENCE: 'x',
    };
    expect(problemsOf(plain)).toBe('');
    const problems = problemsOf({ ...plain, NODE_ENV: 'production' });
    expect(problems).toContain('- OIDC_ISSUER: production');
    expect(problems).toContain('- OIDC_JWKS_URI: production');
  });
});

describe('Stripe', () => {
  it('requires both the key and the webhook secret', () => {
    const [key, secret] = [{ STRIPE_SECRET_KEY: 'sk_test_x' }, { STRIPE_WEBHOOK_SECRET: 'whsec_x' }];
    expect(problemsOf(key)).toContain('set both');
    expect(problemsOf(secret)).toContain('set both');
    expect(problemsOf({ ...key, ...secret })).toBe('');
    expect(problemsOf({ ...secret, STRIPE_SECRET_KEY: 'pk_test_x' })).toContain('- STRIPE_SECRET_KEY: ');
  });
});

describe('ENS_RESOLVERS', () => {
  it('names a contract on each chain; by default on Ethereum and Sepolia, and nowhere with none', () => {
    const chainsOf = (env: NodeJS.ProcessEnv) => readConfig(env).ENS_RESOLVERS.map(([chainId]) => chainId);
    expect(chainsOf({})).toEqual([1, 11_155_111]);
    expect(chainsOf({ ENS_RESOLVERS: 'none' })).toEqual([]);
    const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
    const { ENS_RESOLVERS } = readConfig({ ENS_RESOLVERS: `31337=${address.toLowerCase()}` });
    expect(ENS_RESOLVERS).toEqual([[31_337, address]]);
    for (const wrong of ['31337', '31337=0x12', `x=${address}`])
      expect(() => readConfig({ ENS_RESOLVERS: wrong })).toThrow(/ENS_RESOLVERS: use a chain id/);
  });
});

describe('helpText', () => {
  it.each(Object.keys(settings))('lists %s', (name) => {
    expect(helpText()).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
  });

  it('lists all settings that payments per request require', () => {
    const problems = (env: NodeJS.ProcessEnv) => () => readConfig(env);
    const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
    const key = `0x${'1'.repeat(64)}`;
    expect(problems({ X402_PAY_TO: wallet })).toThrow(/X402_NETWORKS: .*\n.*X402_SETTLER_KEY: /);
    expect(problems({ X402_NETWORKS: 'eip155:8453', X402_SETTLER_KEY: key })).toThrow(
      /X402_PAY_TO: .*\n.*X402_NETWORKS: eip155:8453 needs an RPC/,
    );
    expect(problems({ X402_NETWORKS: 'base' })).toThrow(/X402_NETWORKS: a network is eip155:/);
    expect(problems({ X402_SETTLER_KEY: 'secret' })).toThrow(/X402_SETTLER_KEY: a private key is/);
    expect(problems({ X402_SETTLER_KEY: 'secret' })).not.toThrow(/"secret"|: secret/);
    const { X402_NETWORKS } = readConfig({
      X402_PAY_TO: wallet.toLowerCase(),
      X402_NETWORKS: `eip155:8453,eip155:10=${wallet}`,
      X402_FACILITATOR_URL: 'https://facilitator.example.org',
      CHAINS_MAINNET: '8453=https://rpc.example.org,10=https://rpc.example.org',
    });
    expect(X402_NETWORKS).toEqual([
      { network: 'eip155:8453', chainId: 8453, token: null },
      { network: 'eip155:10', chainId: 10, token: wallet },
    ]);
  });

  it('refuses the demo chain in production', () => {
    const secrets = { SECRET_KEY: 'x'.repeat(32), PUBLIC_URL: 'https://example.org' };
    const demo = (env: NodeJS.ProcessEnv) => () => readConfig(env, { demoChain: true });
    expect(demo({ NODE_ENV: 'production', ...secrets })).toThrow(/--demo-chain: not allowed in production/);
    expect(demo({ X402_NETWORKS: 'eip155:8453' })).toThrow(/--demo-chain: it sets X402_PAY_TO/);
    expect(demo({})().demoChain).toBe(true);
  });
});

describe('trial credits', () => {
  it.each<[Record<string, string>, boolean]>([
    [{}, true],
    [{ HOST: '0.0.0.0', PUBLIC_URL: 'https://192.168.1.4:3000' }, true],
    [{ PUBLIC_URL: 'https://calls.example.org' }, false],
    [{ PUBLIC_URL: 'https://[2a01:4f8::7]' }, false],
    [{ HOST: '8.8.8.8' }, false],
    [production, false],
    [{ LEAKSEARCH_DRIVER: 'hibp', HIBP_API_KEY: 'x'.repeat(32) }, false],
    [{ ESIM_DRIVER: 'airalo', AIRALO_CLIENT_ID: 'x', AIRALO_CLIENT_SECRET: 'x' }, false],
  ])('decides about trial credits with %j: %s', (env, expected) => {
    expect(givesTrialCredits(readConfig(env))).toBe(expected);
  });
});
