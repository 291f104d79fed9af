import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { audience, clientId, IdentityProvider } from '../../harness/services/IdentityProvider.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { deleteStatement, linkStatement } from '../../../sdk/protocol/statements.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import {
  api,
  connectDatabase,
  newKey,
  queryDatabase,
  roomySettings,
  wrongBalances,
} from '../money/accountSupport.ts';
import { holdWrites } from '../money/holdWrites.ts';
import {
  bearer,
  closeSockets,
  connected,
  newWallet,
  refresh,
  refusal,
  signedMessage,
  verify,
  type MessageFields,
  signIn,
  socket,
} from '../support.ts';

/* A wallet and an identity of a provider on one account. The server here accepts the provider's access tokens. */

let provider: IdentityProvider;
let server: ServerProcess;
let url: string;

beforeAll(async () => {
  provider = await IdentityProvider.start();
  server = await ServerProcess.start({
    ...roomySettings,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_AUDIENCE: audience,
    OIDC_JWKS_URI: `${provider.issuer}/jwks`,
  });
  url = server.url;
});
afterAll(async () => {
  closeSockets();
  await server?.dispose();
  await provider?.down();
});

type Headers = Record<string, string>;
let people = 0;
/** A provider token of a new person, or of the given subject. */
const providerToken = (sub = `person-${++people}`, claims: object = {}) =>
  provider.sign({ sub, aud: audience, ...claims }, { typ: 'at+jwt' });
const dashboardOf = async (account = newWallet()) =>
  bearer((await signIn(url, account, { audience: 'dashboard' })).token);
const accountOf = async (headers: Headers) => (await api(url, 'GET', '/account', headers)).body;
const link = (headers: Headers, body: object) => api(url, 'POST', '/account/identities', headers, body);
const signedLink = async (headers: Headers, account = newWallet(), over: Partial<MessageFields> = {}) => {
  const statement = linkStatement(String((await accountOf(headers)).id));
  return { type: 'wallet', ...(await signedMessage(url, account, { statement, ...over })) };
};
const linkWallet = async (headers: Headers, account = newWallet()) =>
  link(headers, await signedLink(headers, account));
const linkToken = (headers: Headers, token: string) => link(headers, { type: 'oidc', token });
const unlink = (headers: Headers, id: unknown) =>
  api(url, 'DELETE', `/account/identities/${String(id)}`, headers);
const listOf = async (headers: Headers) =>
  (await api(url, 'GET', '/account/identities', headers)).body.data as Record<string, unknown>[];
const exchange = async (token: string) =>
  (await api(url, 'POST', '/auth/exchange', {}, { token })).body as { token: string; refreshToken: string };
const errorOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => [status, body.error];
const actionsOf = async (headers: Headers) =>
  ((await api(url, 'GET', '/audit-logs', headers)).body.data as { action: string }[]).map(
    ({ action }) => action,
  );

it('accepts access tokens of the provider that have the configured audience', async () => {
  const { accessToken, idToken } = await provider.signIn('alice');
  expect(await accountOf(bearer(accessToken))).toMatchObject({ authMethod: 'session', email: null });
  expect((await api(url, 'GET', '/account', bearer(idToken))).status).toBe(401);
});

describe('a wallet', () => {
  it('is linked by its signature to an account without a wallet', async () => {
    const headers = bearer(providerToken());
    const wallet = newWallet();
    const { id } = await accountOf(headers);
    const { status, body } = await linkWallet(headers, wallet);
    expect([status, body]).toEqual([
      201,
      {
        id: 'wallet',
        type: 'wallet',
        walletAddress: wallet.address,
        walletId: wallet.address,
        issuer: null,
        subject: null,
        email: null,
        linkedAt: expect.any(String) as string,
      },
    ]);
    expect(await accountOf(headers)).toMatchObject({ id, walletAddress: wallet.address });
    // The wallet now signs in to this account.
    expect(await accountOf(await dashboardOf(wallet))).toMatchObject({ id });
    expect(await actionsOf(headers)).toContain('identity.linked');
  });

  it('becomes the host of what its account hosted without it', async () => {
    const headers = bearer(providerToken());
    const wallet = newWallet();
    const { id } = await accountOf(headers);
    const room = (await api(url, 'POST', '/rooms', headers, { name: 'Room' })).body;
    expect(room.host).toBe(`account:${String(id)}`);
    const rows = { streams: newId('str'), recordings: newId('rec') };
    await queryDatabase(
      server,
      `INSERT INTO streams (id, title, description, host, network, is_public, record, key_hash, key_sealed, status, created_at)
       VALUES ($1, '', '', $2, 'mainnet', true, false, $1, '', 'idle', now())`,
      [rows.streams, room.host],
    );
    await queryDatabase(
      server,
      `INSERT INTO recordings (id, kind, room_id, host, title, status, started_at)
       VALUES ($1, 'stream', $2, $3, '', 'failed', now())`,
      [rows.recordings, rows.streams, room.host],
    );
    await linkWallet(headers, wallet);
    const found = (await api(url, 'GET', `/rooms/${String(room.id)}`, headers)).body;
    expect(found.host).toBe(wallet.address);
    for (const [table, of] of Object.entries(rows))
      expect(await queryDatabase(server, `SELECT host FROM ${table} WHERE id = $1`, [of])).toEqual([
        { host: wallet.address },
      ]);
    expect((await api(url, 'POST', '/rooms', headers, { name: 'Next' })).body.host).toBe(wallet.address);
  });

  it('cannot be taken from an account that has hosted a room', async () => {
    const token = providerToken();
    await api(url, 'POST', '/rooms', bearer(token), { name: 'Room' });
    expect(errorOf(await linkToken(await dashboardOf(), token))).toEqual([409, 'conflict']);
  });

  it('grants realtime access to sessions refreshed after the link, and revokes it when unlinked', async () => {
    const token = providerToken();
    const session = await exchange(token);
    const wallet = newWallet();
    expect(await refusal(socket(url, { token: session.token, protocolVersion }))).not.toBeNull();
    await linkWallet(bearer(session.token), wallet);
    const { body } = await refresh(url, session.refreshToken);
    expect(body).toMatchObject({ walletAddress: wallet.address });
    const device = await connected(url, body.token as string);
    const ended = new Promise((resolve) => device.once('session:ended', resolve));
    // Unlinking ends the sessions of the wallet.
    expect((await unlink(bearer(token), 'wallet')).status).toBe(200);
    expect(await ended).toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
    expect((await refresh(url, body.refreshToken as string)).status).toBe(401);
    expect(await accountOf(bearer(token))).toMatchObject({ walletAddress: null });
  });

  it('does not sign in to the account from which it is being unlinked', async () => {
    const [wallet, token] = [newWallet(), providerToken()];
    await linkWallet(bearer(token), wallet);
    const { id } = await accountOf(bearer(token));
    const database = await connectDatabase(server);
    onTestFinished(() => database.end());
    const held = await holdWrites(database, { write: 'UPDATE OF wallet ON accounts' });
    const unlinking = unlink(bearer(token), 'wallet');
    await until(async () => (await held()) === 1, 'the unlinking holds the account');
    const signingIn = dashboardOf(wallet);
    await until(async () => {
      const waiting = await queryDatabase(
        server,
        `SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted`,
      );
      return waiting.length === 1;
    }, 'the sign-in waits for the account');
    await database.query('SELECT pg_advisory_unlock(7)');
    expect((await unlinking).status).toBe(200);
    const own = await accountOf(await signingIn);
    expect(own).toMatchObject({ walletAddress: wallet.address });
    expect(own.id).not.toBe(id);
  });

  it('must itself sign a message for this server’s page, and each message links only once', async () => {
    const headers = bearer(providerToken());
    const wallet = newWallet();
    const signed = await signedLink(headers, wallet);
    const foreign = await signedLink(headers, wallet, { origin: 'https://evil.example' });
    expect(errorOf(await link(headers, foreign))[0]).toBe(401);
    const another = { ...signed, walletAddress: newWallet().address };
    expect(errorOf(await link(headers, another))[0]).toBe(401);
    expect((await link(headers, signed)).status).toBe(201);
    expect((await unlink(headers, 'wallet')).status).toBe(200);
    expect(errorOf(await link(headers, signed))).toEqual([401, 'invalid_token']);
  });

  it('can neither link with a sign-in message or another account’s link message, nor sign in with a link message', async () => {
    const [headers, other] = [bearer(providerToken()), bearer(providerToken())];
    const wallet = newWallet();
    const signIn = { type: 'wallet', ...(await signedMessage(url, wallet)) };
    expect(errorOf(await link(headers, signIn))).toEqual([401, 'invalid_token']);
    const { type, ...signed } = await signedLink(headers, wallet);
    expect(errorOf(await link(other, { type, ...signed }))).toEqual([401, 'invalid_token']);
    expect(errorOf(await verify(url, signed))).toEqual([401, 'invalid_token']);
    // The failed attempts did not consume the nonce.
    expect((await link(headers, { type, ...signed })).status).toBe(201);
  });

  it('is the only one of an account', async () => {
    const headers = bearer(providerToken());
    const wallet = newWallet();
    await linkWallet(headers, wallet);
    expect(errorOf(await linkWallet(headers))).toEqual([409, 'conflict']);
    // Linking the same wallet again changes nothing.
    expect((await linkWallet(headers, wallet)).status).toBe(201);
    expect(await listOf(headers)).toHaveLength(2);
  });
});

describe('a provider’s identity', () => {
  it('is linked by its token to a wallet’s account, and adds its e-mail address', async () => {
    const wallet = newWallet();
    const headers = await dashboardOf(wallet);
    const { id } = await accountOf(headers);
    const token = providerToken('zoe', { email: 'zoe@example.org', email_verified: true });
    const { status, body } = await linkToken(headers, token);
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^idn_/) as string,
        type: 'oidc',
        walletAddress: null,
        walletId: null,
        issuer: provider.issuer,
        subject: 'zoe',
        email: 'zoe@example.org',
        linkedAt: expect.any(String) as string,
      },
    ]);
    expect(await accountOf(bearer(token))).toMatchObject({
      id,
      walletAddress: wallet.address,
      email: 'zoe@example.org',
    });
    expect((await listOf(headers)).map(({ type }) => type)).toEqual(['wallet', 'oidc']);
    // Its sessions act as the wallet on the realtime side.
    const { token: sessionToken } = await exchange(token);
    await connected(url, sessionToken);
    expect(errorOf(await linkToken(headers, providerToken()))).toEqual([409, 'conflict']);
    expect((await linkToken(headers, token)).status).toBe(201);
  });

  it('needs a valid and recent token', async () => {
    const headers = await dashboardOf();
    const hourAgo = Math.floor(Date.now() / 1_000) - 3_600;
    for (const token of [
      'nonsense',
      providerToken('x', { aud: 'another' }),
      providerToken('x', { iat: hourAgo }),
    ])
      expect(errorOf(await linkToken(headers, token))).toEqual([401, 'invalid_token']);
    expect(await listOf(headers)).toHaveLength(1);
  });

  it('loses its sessions when unlinked, and its old tokens create no new account', async () => {
    const headers = await dashboardOf();
    const { id } = await accountOf(headers);
    const hourAgo = Math.floor(Date.now() / 1_000) - 3_600;
    const sub = `person-${++people}`;
    const { body } = await linkToken(headers, providerToken(sub));
    const old = providerToken(sub, { iat: hourAgo });
    const session = await exchange(old);
    expect(await accountOf(bearer(session.token))).toMatchObject({ id });
    expect((await unlink(headers, body.id)).status).toBe(200);
    expect((await refresh(url, session.refreshToken)).status).toBe(401);
    expect((await api(url, 'GET', '/account', bearer(session.token))).status).toBe(401);
    expect(errorOf(await api(url, 'GET', '/account', bearer(old)))).toEqual([401, 'invalid_token']);
    expect(await actionsOf(headers)).toEqual(expect.arrayContaining(['identity.unlinked', 'session.ended']));
    // A new sign-in creates a new account.
    const later = providerToken(sub, { iat: Math.floor(Date.now() / 1_000) + 2 });
    expect((await accountOf(bearer(later))).id).not.toBe(id);
    expect(errorOf(await api(url, 'GET', '/account', bearer(old)))).toEqual([401, 'invalid_token']);
  });

  it('is unlinked while one of its sessions is refreshed', async () => {
    const token = providerToken();
    const session = await exchange(token);
    const wallet = newWallet();
    await linkWallet(bearer(token), wallet);
    const headers = await dashboardOf(wallet);
    const id = (await listOf(headers)).find(({ type }) => type === 'oidc')?.id;
    const database = await connectDatabase(server);
    onTestFinished(() => database.end());
    const held = await holdWrites(database, { write: 'UPDATE OF unlinked_at ON identities' });
    const unlinking = unlink(headers, id);
    await until(async () => (await held()) === 1, 'the unlinking holds the account');
    const refreshing = refresh(url, session.refreshToken);
    await until(async () => {
      const waiting = await queryDatabase(
        server,
        `SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted`,
      );
      return waiting.length === 1;
    }, 'the refresh waits for the account');
    await database.query('SELECT pg_advisory_unlock(7)');
    expect((await unlinking).status).toBe(200);
    expect((await refreshing).status).toBe(401);
  });

  it('does not get its old tokens back when it is linked again, and nobody can link it with one', async () => {
    const headers = await dashboardOf();
    const { id } = await accountOf(headers);
    const sub = `person-${++people}`;
    const old = providerToken(sub);
    const { body } = await linkToken(headers, old);
    expect((await unlink(headers, body.id)).status).toBe(200);
    expect(errorOf(await linkToken(await dashboardOf(), old))).toEqual([401, 'invalid_token']);
    const later = providerToken(sub, { iat: Math.floor(Date.now() / 1_000) + 2 });
    expect((await linkToken(headers, later)).status).toBe(201);
    expect(await accountOf(bearer(later))).toMatchObject({ id });
    const proof = { type: 'oidc', token: old };
    for (const reply of [
      await api(url, 'GET', '/account', bearer(old)),
      await api(url, 'POST', '/auth/exchange', {}, { token: old }),
      await linkToken(headers, old),
      await api(url, 'DELETE', '/account', headers, proof),
    ])
      expect(errorOf(reply)).toEqual([401, 'invalid_token']);
  });
});

it('does not act for an account whose erasure has begun', async () => {
  const token = providerToken();
  const { id } = await accountOf(bearer(token));
  const began = 'INSERT INTO erasures (account_id, due_at, started_at) VALUES ($1, now(), now())';
  await queryDatabase(server, began, [id]);
  expect(errorOf(await api(url, 'GET', '/account', bearer(token)))).toEqual([409, 'conflict']);
});

it('stores no e-mail address of an identity that is being unlinked', async () => {
  const sub = `person-${++people}`;
  await accountOf(bearer(providerToken(sub)));
  const client = await connectDatabase(server);
  onTestFinished(() => client.end());
  await client.query('BEGIN');
  await client.query('UPDATE identities SET account_id = NULL, unlinked_at = now() WHERE subject = $1', [
    sub,
  ]);
  const token = providerToken(sub, { email: 'late@example.org', email_verified: true });
  const reply = api(url, 'GET', '/account', bearer(token));
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%identities%'`;
  await until(async () => (await queryDatabase(server, waiting)).length > 0, 'the request waits');
  await client.query('COMMIT');
  await reply;
  const stored = await queryDatabase(server, 'SELECT email FROM identities WHERE subject = $1', [sub]);
  expect(stored).toEqual([{ email: null }]);
});

describe('an identity that already has an account', () => {
  it('is moved if that account was never used', async () => {
    const token = providerToken();
    const before = await accountOf(bearer(token));
    const session = await exchange(token);
    const headers = await dashboardOf();
    const { id } = await accountOf(headers);
    expect((await linkToken(headers, token)).status).toBe(201);
    expect(await accountOf(bearer(token))).toMatchObject({ id, credits: before.credits });
    // The sign-up credits stay with the old account, whose sessions have ended.
    expect((await api(url, 'GET', '/account', bearer(session.token))).status).toBe(401);
  });

  it('is moved if it is a wallet, and its sessions end', async () => {
    const wallet = newWallet();
    const app = await signIn(url, wallet);
    const headers = bearer(providerToken());
    expect((await linkWallet(headers, wallet)).status).toBe(201);
    expect((await api(url, 'GET', '/account', bearer(app.token))).status).toBe(401);
    expect((await refresh(url, app.refreshToken)).status).toBe(401);
  });

  it.each(['a key', 'credits', 'a webhook endpoint', 'a requested deletion', 'been blocked'])(
    'is not moved if that account has %s',
    async (asset) => {
      const wallet = newWallet();
      const owner = await dashboardOf(wallet);
      const { id } = await accountOf(owner);
      if (asset === 'a key') await newKey(url, { wallet: '', dashboard: owner, app: {} });
      if (asset === 'a webhook endpoint') {
        const endpoint = { url: 'https://hooks.example' };
        expect((await api(url, 'POST', '/webhooks/endpoints', owner, endpoint)).status).toBe(201);
      }
      if (asset === 'a requested deletion') {
        const signed = await signedMessage(url, wallet, { statement: deleteStatement(String(id)) });
        expect((await api(url, 'DELETE', '/account', owner, { type: 'wallet', ...signed })).status).toBe(202);
      }
      if (asset === 'been blocked')
        await queryDatabase(server, 'UPDATE accounts SET blocked_at = now() WHERE id = $1', [id]);
      if (asset === 'credits')
        await queryDatabase(
          server,
          `WITH a AS (UPDATE accounts SET credits = credits + 5 WHERE id = $1 RETURNING *)
         INSERT INTO ledger (id, account_id, type, service, amount, balance_after, description, reference_type, reference_id)
         SELECT 'txn_gift' || id, id, 'credit', 'grant', 5, credits, 'gift', 'grant', 'gift' FROM a`,
          [id],
        );
      const headers = bearer(providerToken());
      const { status, body } = await linkWallet(headers, wallet);
      expect([status, body.error]).toEqual([409, 'conflict']);
      expect(body.message).toContain('accounts are not merged');
      expect(await accountOf(headers)).toMatchObject({ walletAddress: null });
      const stored = await queryDatabase(server, 'SELECT wallet FROM accounts WHERE id = $1', [id]);
      expect(stored).toEqual([{ wallet: wallet.address }]);
    },
  );

  it('is not moved if that account has a recording, whose room may be gone', async () => {
    const token = providerToken();
    const { id } = await accountOf(bearer(token));
    await queryDatabase(
      server,
      `INSERT INTO recordings (id, kind, room_id, host, title, status, started_at)
       VALUES ($1, 'conference', $2, $3, '', 'ready', now())`,
      [newId('rec'), newId('room'), `account:${String(id)}`],
    );
    expect(errorOf(await linkToken(await dashboardOf(), token))).toEqual([409, 'conflict']);
  });

  it('is moved to only one of two accounts that link it at the same time', async () => {
    const wallet = newWallet();
    const two = [bearer(providerToken()), bearer(providerToken())];
    const replies = await Promise.all(two.map((headers) => linkWallet(headers, wallet)));
    // Both may succeed in turn, because the first account is unused and the second may take the wallet from it.
    for (const { status } of replies) expect([201, 409]).toContain(status);
    const owners = await Promise.all(two.map(async (headers) => (await accountOf(headers)).walletAddress));
    expect(owners.filter((owner) => owner === wallet.address)).toHaveLength(1);
  });
});

describe('the last identity', () => {
  it('cannot be unlinked', async () => {
    const wallet = await dashboardOf();
    expect(errorOf(await unlink(wallet, 'wallet'))).toEqual([409, 'conflict']);
    const headers = bearer(providerToken());
    const [only] = await listOf(headers);
    expect(errorOf(await unlink(headers, only?.id))).toEqual([409, 'conflict']);
    expect(errorOf(await unlink(headers, 'idn_unknown'))).toEqual([404, 'not_found']);
  });

  it('stays when both identities are unlinked at the same time', async () => {
    const headers = bearer(providerToken());
    await linkWallet(headers);
    const ids = (await listOf(headers)).map(({ id }) => id);
    const statuses = await Promise.all(ids.map(async (id) => (await unlink(headers, id)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('does not count if its provider is no longer configured', async () => {
    const wallet = newWallet();
    const headers = await dashboardOf(wallet);
    const { body } = await linkToken(headers, providerToken());
    await queryDatabase(server, `UPDATE identities SET issuer = 'https://gone.example' WHERE id = $1`, [
      body.id,
    ]);
    expect(errorOf(await unlink(headers, 'wallet'))).toEqual([409, 'conflict']);
  });
});

it('serves only dashboard sessions', async () => {
  const wallet = newWallet();
  const app = bearer((await signIn(url, wallet)).token);
  const key = await newKey(url, { wallet: '', dashboard: await dashboardOf(wallet), app });
  for (const headers of [app, bearer(key.secret)]) {
    for (const reply of [
      await api(url, 'GET', '/account/identities', headers),
      await linkToken(headers, providerToken()),
      await unlink(headers, 'wallet'),
    ])
      expect(errorOf(reply)).toEqual([403, 'session_required']);
  }
});

it('keeps every balance equal to the sum of its movements', async () => {
  expect(await until(async () => [await wrongBalances(server)], 'balances')).toEqual([[]]);
});
