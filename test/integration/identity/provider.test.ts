import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientId, IdentityProvider } from '../../harness/services/IdentityProvider.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { api, newCustomer, newKey, queryDatabase, roomySettings } from '../money/accountSupport.ts';
import {
  bearer,
  closeSockets,
  newWallet,
  refresh,
  refusal,
  signIn,
  socket,
  tokenForger,
} from '../support.ts';
import { Parley } from '../../../sdk/src/Parley.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';

/* A real outside identity provider, and forged tokens in its name. */

const coolDownSeconds = 1;
let provider: IdentityProvider;
let server: ServerProcess;
let url: string;

beforeAll(async () => {
  provider = await IdentityProvider.start();
  server = await ServerProcess.start({
    ...roomySettings,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_NAME: 'Example ID',
    OIDC_KEYS_SECONDS: '3',
    OIDC_COOLDOWN_SECONDS: String(coolDownSeconds),
  });
  url = server.url;
});
afterAll(async () => {
  closeSockets();
  await server?.dispose();
  await provider?.down();
});

const account = (token: string) => api(url, 'GET', '/account', bearer(token));
const outcome = async (token: string) => {
  const { status, body } = await account(token);
  return [status, body.error ?? 'ok'];
};
const exchange = (token: string) => api(url, 'POST', '/auth/exchange', {}, { token });
const countAccounts = async () => (await queryDatabase(server, 'SELECT FROM accounts')).length;

describe('a token of the provider', () => {
  it('works as a dashboard session, and creates one account without a wallet', async () => {
    const { idToken } = await provider.signIn('alice');
    const before = await countAccounts();
    const replies = await Promise.all([account(idToken), account(idToken), account(idToken)]);
    expect(replies[0]?.body).toMatchObject({
      authMethod: 'session',
      walletAddress: null,
      email: 'alice@example.org',
      credits: 500,
      apiKey: null,
    });
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(await countAccounts()).toBe(before + 1);
    // A later token of Alice opens the same account.
    const { idToken: later } = await provider.signIn('alice');
    expect((await account(later)).body.id).toBe(replies[0]?.body.id);
    expect((await account((await provider.signIn('bob')).idToken)).body.id).not.toBe(replies[0]?.body.id);
  });

  it('manages API keys, records the account that made them, and needs no scopes', async () => {
    const { idToken } = await provider.signIn('carol');
    const customer = { wallet: '', dashboard: bearer(idToken), app: {} };
    const key = await newKey(url, customer, { scopes: [] });
    const { id } = (await account(idToken)).body;
    expect(key.createdBy).toBe(id);
    expect((await account(key.secret)).body).toMatchObject({
      id,
      walletAddress: null,
      email: 'carol@example.org',
    });
    expect((await api(url, 'GET', '/account/history', bearer(idToken))).status).toBe(200);
    const { body } = await api(url, 'DELETE', `/api-keys/${key.id}`, bearer(idToken));
    expect(body.revokedBy).toBe(id);
    const { body: log } = await api(url, 'GET', '/audit-logs', bearer(idToken));
    expect((log.data as { action: string }[]).map(({ action }) => action)).toEqual(
      expect.arrayContaining(['api_key.created', 'api_key.revoked', 'credits.granted']),
    );
  });

  it('provides an e-mail address only if the provider has verified it', async () => {
    const { idToken } = await provider.signIn('unverified-eve');
    expect((await account(idToken)).body.email).toBeNull();
  });

  it('cannot be revoked by a logout', async () => {
    const { idToken } = await provider.signIn('alice');
    const { status, body } = await api(url, 'POST', '/auth/logout', bearer(idToken));
    expect([status, body.error]).toEqual([409, 'conflict']);
  });
});

describe('a forged token', () => {
  const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const hour = 3_600;
  const now = () => Math.floor(Date.now() / 1_000);
  const publicKey = () => provider.key.publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const invalid = [401, 'invalid_token'];
  const forged: [string, () => string, unknown[]?][] = [
    ['alg none', () => unsigned({ alg: 'none' })],
    ['alg none in capitals', () => unsigned({ alg: 'NONE', kid: provider.key.kid })],
    ['HS256 with the public key', () => provider.sign({}, { alg: 'HS256' }, publicKey())],
    [
      'HS256 with the published JWK',
      () =>
        provider.sign({}, { alg: 'HS256' }, JSON.stringify(provider.key.publicKey.export({ format: 'jwk' }))),
    ],
    ['another key under the right kid', () => provider.sign({}, {}, otherKey.privateKey)],
    ['an algorithm that is not allowed', () => provider.sign({}, { alg: 'RS512' })],
    ['another issuer', () => provider.sign({ iss: 'https://evil.example' })],
    ['the issuer with a slash', () => provider.sign({ iss: `${provider.issuer}/` })],
    ['this server as the issuer', () => provider.sign({ iss: 'parley' })],
    ['no issuer', () => provider.sign({ iss: undefined })],
    ['another audience', () => provider.sign({ aud: 'another-app' })],
    ['the dashboard audience of this server', () => provider.sign({ aud: 'dashboard' })],
    ['several audiences, without the client', () => provider.sign({ aud: ['another-app', clientId] })],
    [
      'several audiences, of another client',
      () => provider.sign({ aud: ['another-app', clientId], azp: 'another-app' }),
    ],
    ['no audience', () => provider.sign({ aud: undefined })],
    ['an unknown kid', () => provider.sign({}, { kid: 'unknown' })],
    [
      'its own key in the header',
      () =>
        provider.sign(
          {},
          { kid: 'mine', jwk: otherKey.publicKey.export({ format: 'jwk' }) },
          otherKey.privateKey,
        ),
    ],
    [
      'the address of its own keys',
      () => provider.sign({}, { kid: 'mine', jku: 'http://127.0.0.1:1' }, otherKey.privateKey),
    ],
    ['an unknown critical extension', () => provider.sign({}, { crit: ['exp'] })],
    ['a logout token', () => provider.sign({}, { typ: 'logout+jwt' })],
    [
      'a logout token by its claims',
      () => provider.sign({ events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }),
    ],
    ['no subject', () => provider.sign({ sub: undefined })],
    ['an empty subject', () => provider.sign({ sub: '' })],
    ['no expiry', () => provider.sign({ exp: null })],
    ['not valid yet', () => provider.sign({ nbf: now() + hour })],
    ['expired', () => provider.sign({ iat: now() - 2 * hour, exp: now() - hour }), [401, 'token_expired']],
    [
      'two days old, although valid for ten years',
      () => provider.sign({ iat: now() - 48 * hour, exp: now() + 87_600 * hour }),
      [401, 'token_expired'],
    ],
    ['issued tomorrow', () => provider.sign({ iat: now() + 24 * hour, exp: now() + 48 * hour })],
    ['changed', () => provider.sign().replace(/\.(.{20})/, (_, start: string) => `.${start.slice(1)}A`)],
    ['no signature', () => provider.sign().replace(/[^.]+$/, '')],
  ];

  function unsigned(header: object): string {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: provider.issuer, aud: clientId, sub: 'alice', iat: now(), exp: now() + hour };
    return `${encode(header)}.${encode(claims)}.`;
  }

  it('is distinguished from valid tokens', async () => {
    expect(await outcome(provider.sign())).toEqual([200, 'ok']);
    // Without a key id if there is only one key, and with several audiences.
    expect(await outcome(provider.sign({}, { kid: undefined }))).toEqual([200, 'ok']);
    const several = { aud: ['another-app', clientId], azp: clientId };
    expect(await outcome(provider.sign(several))).toEqual([200, 'ok']);
  });

  it.each(forged)('is rejected: %s', async (_, make, expected = invalid) => {
    const token = make();
    const before = await countAccounts();
    expect(await outcome(token)).toEqual(expected);
    const reply = await exchange(token);
    expect([reply.status, reply.body.error]).toEqual(expected);
    expect(await countAccounts()).toBe(before);
  });

  it('is rejected: a token of this server with the provider’s claims', async () => {
    const forge = await tokenForger(server.dataDir);
    const { token } = await signIn(url);
    expect(await outcome(forge(token, { iss: provider.issuer, aud: clientId }))).toEqual(invalid);
  });

  it('does not make the server request the provider’s keys each time', async () => {
    await outcome(provider.sign());
    const before = provider.keyRequests;
    const startedAt = performance.now();
    // One after another, because simultaneous tokens would share one key request anyway.
    for (let index = 0; index < 60; index++)
      expect(await outcome(provider.sign({}, { kid: `made up ${index}` }))).toEqual(invalid);
    const windows = Math.ceil((performance.now() - startedAt) / (coolDownSeconds * 1_000)) + 1;
    expect(provider.keyRequests - before).toBeLessThanOrEqual(windows);
  });
});

describe('the provider’s keys', () => {
  it('may be rotated: the new key is accepted, and the old one rejected', async () => {
    const old = provider.sign();
    expect(await outcome(old)).toEqual([200, 'ok']);
    provider.rotate();
    const renewed = provider.sign();
    // After the cool-down at the latest.
    await until(async () => (await outcome(renewed))[0] === 200, 'the new key is accepted');
    expect(await outcome(old)).toEqual([401, 'invalid_token']);
  });

  it('may be unreachable: 503 once the cached keys are old, and recovery by itself', async () => {
    const valid = provider.sign();
    const forged = provider.sign({}, {}, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
    const before = provider.keyRequests;
    await until(async () => {
      expect((await account(valid)).status).toBe(200);
      return provider.keyRequests > before;
    }, 'the keys were just fetched');
    await provider.down();
    try {
      const seen = new Set<number>();
      // The cached keys are used for OIDC_KEYS_SECONDS.
      const reply = await until(async () => {
        expect((await account(forged)).status).not.toBe(200);
        const answer = await account(valid);
        seen.add(answer.status);
        return answer.status === 503 ? answer : null;
      }, 'the outage is visible');
      expect(reply.body).toMatchObject({ error: 'service_unavailable', retryAfter: 1 });
      expect([...seen].sort()).toEqual([200, 503]);
      expect((await account(forged)).status).toBe(503);
      expect((await exchange(valid)).status).toBe(503);
      // Wallets can still sign in while the provider is unreachable.
      expect((await signIn(url)).token).not.toBe('');
    } finally {
      await provider.up();
    }
    await until(async () => (await outcome(valid))[0] === 200, 'the provider is back');
    expect(await outcome(forged)).toEqual([401, 'invalid_token']);
  });
});

describe('a session for the provider’s token', () => {
  it('is a dashboard session that can be refreshed and ended', async () => {
    const { idToken } = await provider.signIn('dave');
    const { status, body } = await exchange(idToken);
    expect(status).toBe(200);
    expect(body).toMatchObject({ walletAddress: null, network: 'mainnet', chainId: 1 });
    const token = body.token as string;
    expect((await account(token)).body).toEqual((await account(idToken)).body);
    expect((await api(url, 'GET', '/api-keys', bearer(token))).status).toBe(200);
    const renewed = await refresh(url, body.refreshToken as string);
    expect(renewed.body).toMatchObject({ walletAddress: null });
    const next = renewed.body.token as string;
    expect((await api(url, 'POST', '/auth/logout', bearer(next))).status).toBe(200);
    expect(await outcome(next)).toEqual([401, 'invalid_token']);
  });

  it('opens no realtime connection without a wallet, and gives the reason', async () => {
    const { idToken } = await provider.signIn('dave');
    const { token } = (await exchange(idToken)).body as { token: string };
    for (const each of [token, idToken]) {
      const refused = await refusal(socket(url, { token: each, protocolVersion }));
      expect(refused?.data).toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
      if (each === token) expect(refused?.message).toContain('Link a wallet to the account');
    }
  });
});

it('supports sign-in and wallet linking in the SDK', async () => {
  const parley = new Parley({ apiKey: '', baseUrl: url });
  expect(await parley.provider()).toMatchObject({ issuer: provider.issuer, token: 'id_token' });
  const { idToken } = await provider.signIn('grace');
  expect(await parley.signInWithProvider(idToken)).toMatchObject({ walletAddress: null });
  expect(await parley.account.get()).toMatchObject({ walletAddress: null, email: 'grace@example.org' });
  const [only] = (await parley.account.identities()).data;
  await expect(parley.account.unlinkIdentity(only?.id ?? '')).rejects.toMatchObject({ code: 'CONFLICT' });
  const wallet = newWallet();
  expect(await parley.linkWallet(wallet)).toMatchObject({
    walletAddress: wallet.address,
    linkedAt: expect.any(Date) as Date,
  });
  expect(parley.session).toMatchObject({ walletId: wallet.address });
  // The SDK connects once the account has a wallet.
  expect(await parley.signInWithProvider(idToken)).toMatchObject({ walletAddress: wallet.address });
  expect(parley.state).toBe('connected');
  parley.close();
});

it('publishes the provider’s settings, and allows the console to connect to it', async () => {
  const { body } = await api(url, 'GET', '/auth/provider');
  expect(body.provider).toEqual({
    name: 'Example ID',
    issuer: provider.issuer,
    clientId,
    scope: 'openid email',
    token: 'id_token',
    audience: clientId,
  });
  const { headers } = await fetch(url);
  expect(headers.get('content-security-policy')).toContain(`connect-src 'self' ${provider.issuer};`);
});

it('offers no provider if none is configured', async () => {
  const other = await ServerProcess.start(roomySettings);
  try {
    expect((await api(other.url, 'GET', '/auth/provider')).body).toEqual({ provider: null });
    const { status, body } = await api(other.url, 'GET', '/account', bearer(provider.sign()));
    expect([status, body.error]).toEqual([401, 'invalid_token']);
    const exchanged = await api(other.url, 'POST', '/auth/exchange', {}, { token: provider.sign() });
    expect(exchanged.status).toBe(503);
    const { dashboard, wallet } = await newCustomer(other.url);
    const identities = await api(other.url, 'GET', '/account/identities', dashboard);
    expect(identities.body.data).toMatchObject([{ id: 'wallet', type: 'wallet', walletAddress: wallet }]);
    const link = await api(other.url, 'POST', '/account/identities', dashboard, {
      type: 'oidc',
      token: provider.sign(),
    });
    expect(link.status).toBe(503);
  } finally {
    await other.dispose();
  }
});

it('never logs a token', () => {
  expect(server.log).not.toMatch(/eyJ[\w-]{20,}\.[\w-]{20,}/);
});
