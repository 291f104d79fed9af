import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import jwt from 'jsonwebtoken';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import { Parley } from '../../../sdk/src/Parley.ts';
import { loadSecrets } from '../../../platform/secrets.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import * as support from '../support.ts';
import { bearer, connected, newWallet, next, refresh, signIn } from '../support.ts';

let server: ServerProcess;
let url: string;
const logout = (headers: Record<string, string>, body?: unknown) =>
  support.ask(url, 'POST', '/api/v1/auth/logout', { headers, body });

beforeAll(async () => {
  server = await ServerProcess.start();
  url = server.url;
});
afterEach(() => support.closeSockets());
afterAll(() => server?.dispose());

const sessionOf = ({ token }: { token: string }) => (jwt.decode(token) as { sid: string }).sid;

/** Pretends that the first refresh of a session happened so many seconds ago. */
const usedAgo = (session: { token: string }, seconds: number) =>
  queryDatabase(
    server,
    `UPDATE refresh_tokens SET used_at = now() - make_interval(secs => $2) WHERE session_id = $1
       AND used_at = (SELECT min(used_at) FROM refresh_tokens WHERE session_id = $1)`,
    [sessionOf(session), seconds],
  );

/** Whether the handshake accepts the token. */
async function isAccepted(token: string): Promise<boolean> {
  const refused = await support.refusal(support.socket(url, { token, protocolVersion }));
  if (refused) expect(refused.data).toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
  return refused === null;
}

describe('a refresh', () => {
  it('rotates the refresh token', async () => {
    let session = await signIn(url);
    for (let round = 0; round < 3; round++) {
      const { status, body } = await refresh(url, session.refreshToken);
      expect(status).toBe(200);
      expect(body).toMatchObject({ walletAddress: session.walletAddress, createdAt: session.createdAt });
      expect(body.refreshToken).not.toBe(session.refreshToken);
      session = body as unknown as typeof session;
    }
    expect(await isAccepted(session.token)).toBe(true);
  });

  it('works again for a minute while its answer may have been lost', async () => {
    const first = await signIn(url);
    for (let lost = 0; lost < 2; lost++) expect((await refresh(url, first.refreshToken)).status).toBe(200);
    await usedAgo(first, 55);
    const { status, body } = await refresh(url, first.refreshToken);
    expect(status).toBe(200);
    // The minute does not begin again.
    const usedEarlier = `SELECT FROM refresh_tokens WHERE session_id = $1 AND used_at < now() - interval '50 s'`;
    expect(await queryDatabase(server, usedEarlier, [sessionOf(first)])).toHaveLength(1);
    expect((await refresh(url, body.refreshToken as string)).status).toBe(200);
    expect(await isAccepted(body.token as string)).toBe(true);
  });

  it('is awaited by requests of the SDK that begin meanwhile', async () => {
    const session = await signIn(url);
    const forge = await support.tokenForger(server.dataDir);
    const expired = { ...session, token: forge(session.token, { exp: Math.floor(Date.now() / 1_000) - 1 }) };
    const items = new Map([[`parley.session ${url}`, JSON.stringify(expired)]]);
    let refreshes = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
      refreshes++;
      await released;
      return fetch(...request);
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const storage = {
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => void items.set(key, value),
      removeItem: (key: string) => void items.delete(key),
    };
    const parley = new Parley({ apiKey: '', baseUrl: url, storage });
    onTestFinished(() => parley.close());
    const first = parley.calls.getActive();
    await until(() => refreshes === 1, 'the SDK refreshes the session');
    const later = [parley.calls.getActive(), parley.resume()];
    // Longer than a handshake takes.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    release();
    expect(await first).toEqual([]);
    await Promise.all(later);
    expect(parley.state).toBe('connected');
  });

  it('is repeated by the SDK when its answer is lost', async () => {
    const session = await signIn(url);
    const forge = await support.tokenForger(server.dataDir);
    const expired = { ...session, token: forge(session.token, { exp: Math.floor(Date.now() / 1_000) - 1 }) };
    const items = new Map([[`parley.session ${url}`, JSON.stringify(expired)]]);
    const statuses: number[] = [];
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
      const response = await fetch(...request);
      if (statuses.push(response.status) === 1) throw new TypeError('the network has changed');
      return response;
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const storage = {
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => void items.set(key, value),
      removeItem: (key: string) => void items.delete(key),
    };
    const parley = new Parley({ apiKey: '', baseUrl: url, storage });
    onTestFinished(() => parley.close());
    expect(await parley.calls.getActive()).toEqual([]);
    expect(statuses).toEqual([200, 200]);
    expect((await refresh(url, parley.session?.refreshToken ?? '')).status).toBe(200);
  });

  it.each([
    'more than a minute later',
    'after its successor was used',
    'as the successor that another one has replaced',
  ])('ends all tokens of the session when a refresh token is used twice, %s', async (when) => {
    const first = await signIn(url);
    const { body: second } = await refresh(url, first.refreshToken);
    const { refreshToken } = second as { refreshToken: string };
    let [last, again] = [second, first.refreshToken];
    if (when.startsWith('more')) await usedAgo(first, 61);
    else if (when.startsWith('after')) ({ body: last } = await refresh(url, refreshToken));
    else [{ body: last }, again] = [await refresh(url, first.refreshToken), refreshToken];
    const device = await connected(url, last.token as string);
    const ended = next(device, 'session:ended');
    const closed = next(device, 'disconnect');
    const reused = await refresh(url, again);
    expect([reused.status, reused.body.error]).toEqual([401, 'invalid_token']);
    expect(await ended).toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
    await closed;
    expect((await refresh(url, last.refreshToken as string)).status).toBe(401);
    for (const token of [first.token, second.token as string, last.token as string]) {
      expect(await isAccepted(token)).toBe(false);
      expect((await logout(bearer(token))).status).toBe(401);
    }
  });

  it('answers all requests that use a refresh token at the same time, and keeps the last successor', async () => {
    const { token, refreshToken } = await signIn(url);
    const replies = await Promise.all([1, 2, 3, 4].map(() => refresh(url, refreshToken)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const { body } of replies) expect(await isAccepted(body.token as string)).toBe(true);
    const unused = 'SELECT FROM refresh_tokens WHERE session_id = $1 AND used_at IS NULL';
    expect(await queryDatabase(server, unused, [sessionOf({ token })])).toHaveLength(1);
  });

  it('neither fails nor forks when a refresh token and its successor are used at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const { token, refreshToken } = await signIn(url);
      const { body } = await refresh(url, refreshToken);
      const replies = await Promise.all([
        refresh(url, refreshToken),
        refresh(url, body.refreshToken as string),
      ]);
      // Whichever comes second has been used before.
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 401]);
      expect(await isAccepted(token)).toBe(false);
    }
  });

  it('rejects malformed and unknown refresh tokens', async () => {
    const { token } = await signIn(url);
    for (const wrong of ['rt_', token.slice(0, 100), `rt_${'0'.repeat(43)}`, "' OR 1=1 --"])
      expect((await refresh(url, wrong)).status).toBe(401);
    for (const wrong of ['', 'x'.repeat(129), '\u0000']) expect((await refresh(url, wrong)).status).toBe(422);
  });
});

describe('a sign-out', () => {
  it.each(['token', 'refreshToken'] as const)(
    'by %s closes only the connections of the session',
    async (credential) => {
      const account = newWallet();
      const [session, other] = [await signIn(url, account), await signIn(url, account)];
      const [device, bystander] = [await connected(url, session.token), await connected(url, other.token)];
      const ended = next(device, 'session:ended');
      const closed = next(device, 'disconnect');
      const reply =
        credential === 'token'
          ? await logout(bearer(session.token))
          : await logout({}, { refreshToken: session.refreshToken });
      expect([reply.status, reply.body]).toEqual([200, {}]);
      expect(await ended).toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
      expect(await closed).toBe('io server disconnect');
      expect(await isAccepted(session.token)).toBe(false);
      expect((await refresh(url, session.refreshToken)).status).toBe(401);
      expect(await support.code(bystander, 'session.ping', {})).toBe('ok');
    },
  );

  it('needs a token or a refresh token', async () => {
    const reply = await logout({});
    expect([reply.status, reply.body.error]).toEqual([401, 'missing_credentials']);
    expect((await logout({ Authorization: 'Basic dXNlcjp3b3Jk' })).body.error).toBe('missing_credentials');
    expect((await logout({}, { unknown: true })).status).toBe(422);
  });

  it('closes a connection that is being opened', async () => {
    for (let round = 0; round < 5; round++) {
      const { token } = await signIn(url);
      const device = support.socket(url, { token, protocolVersion });
      const closed = new Promise((resolve) => {
        device.once('connect_error', resolve);
        device.once('disconnect', resolve);
      });
      const opened = new Promise((resolve) => device.io.once('open', () => resolve(null)));
      await opened;
      expect((await logout(bearer(token))).status).toBe(200);
      await closed;
    }
  });
});

describe('an access token', () => {
  it('is rejected when any part of it is forged', async () => {
    const session = await signIn(url);
    const forge = await support.tokenForger(server.dataDir);
    const { token } = session;
    expect(await isAccepted(forge(token))).toBe(true);
    const [head = '', payload = '', signature = ''] = token.split('.');
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = jwt.decode(token) as Record<string, unknown>;
    const unsigned = `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`;
    const otherKey = createHmac('sha256', 'x')
      .update(await support.secretKeyOf(server.dataDir))
      .digest();
    const forged: Record<string, string> = {
      'alg none': unsigned,
      'alg none with a signature': unsigned + signature,
      'another key': forge(token, {}, { key: otherKey }),
      'no key': forge(token, {}, { key: Buffer.from('x') }),
      HS384: forge(token, {}, { algorithm: 'HS384' }),
      HS512: forge(token, {}, { algorithm: 'HS512' }),
      'another issuer': forge(token, { iss: 'evil' }),
      'another audience': forge(token, { aud: 'admin' }),
      'two audiences': forge(token, { aud: ['app', 'admin'] }),
      'no wallet': forge(token, { sub: 'root' }),
      'no session': forge(token, { sid: 'ses_000000000000000000000000' }),
      'a malformed session': forge(token, { sid: { $ne: null } }),
      'not valid yet': forge(token, { nbf: Math.floor(Date.now() / 1_000) + 60 }),
      'another payload': `${head}.${encode({ ...claims, sub: newWallet().address })}.${signature}`,
      'a truncated signature': token.slice(0, -3),
      empty: ' ',
      'the refresh token': session.refreshToken,
    };
    for (const [name, wrong] of Object.entries(forged)) {
      const reply = await logout(bearer(wrong));
      expect([name, reply.status]).toEqual([name, 401]);
      expect([name, await isAccepted(wrong)]).toEqual([name, false]);
    }
    expect(await isAccepted(token)).toBe(true);
  });

  it('is rejected without an expiry, and with a separate error once expired', async () => {
    const { token } = await signIn(url);
    const forge = await support.tokenForger(server.dataDir);
    const { exp: _exp, ...claims } = jwt.decode(token) as Record<string, unknown>;
    const secrets = await loadSecrets({ DATA_DIR: server.dataDir });
    const eternal = jwt.sign(claims, secrets.derive('session tokens'), { algorithm: 'HS256' });
    expect((await logout(bearer(eternal))).body.error).toBe('invalid_token');
    const expired = forge(token, { exp: Math.floor(Date.now() / 1_000) - 1 });
    const reply = await logout(bearer(expired));
    expect([reply.status, reply.body.error, reply.headers['www-authenticate']]).toEqual([
      401,
      'token_expired',
      'Bearer',
    ]);
    expect(await isAccepted(expired)).toBe(false);
  });

  it('closes its connection when it expires, unless the connection is renewed', async () => {
    const session = await signIn(url);
    const forge = await support.tokenForger(server.dataDir);
    // Long enough for both to connect, and for one to be renewed, on a busy machine.
    const short = forge(session.token, { exp: Math.ceil(Date.now() / 1_000) + 8 });
    const [expiring, renewed] = await Promise.all([connected(url, short), connected(url, short)]);
    const ended = Promise.all([next(expiring, 'session:ended'), next(expiring, 'disconnect')]);
    const answer = await support.send(renewed, 'session.renew', { token: session.token });
    expect(answer).toEqual({ ok: true, data: { expiresAt: session.expiresAt } });
    const [reason, closed] = await ended;
    expect(reason).toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
    expect(closed).toBe('io server disconnect');
    expect(await support.code(renewed, 'session.ping', {})).toBe('ok');
  });

  it('renews only a connection of its own wallet', async () => {
    const [mine, other] = [await signIn(url), await signIn(url)];
    const device = await connected(url, mine.token);
    expect(await support.code(device, 'session.renew', { token: other.token })).toBe('ACCESS_DENIED');
    expect(await support.code(device, 'session.renew', { token: 'x' })).toBe('AUTHENTICATION_REQUIRED');
    expect(await support.code(device, 'session.ping', {})).toBe('ok');
    // The token of an ended session renews nothing.
    const second = await signIn(url, newWallet());
    expect((await logout(bearer(second.token))).status).toBe(200);
    expect(await support.code(device, 'session.renew', { token: second.token })).toBe(
      'AUTHENTICATION_REQUIRED',
    );
  });
});

describe('the database', () => {
  const query = (text: string, values: unknown[] = []) => queryDatabase(server, text, values);

  it('contains no tokens', async () => {
    const session = await signIn(url);
    const rows = JSON.stringify([
      await query('SELECT * FROM refresh_tokens'),
      await query('SELECT * FROM sessions'),
      await query('SELECT * FROM accounts'),
    ]);
    expect(rows).toContain(session.walletAddress);
    expect(rows).not.toContain(session.refreshToken.slice(3, 20));
    expect(rows).not.toContain(session.token.slice(-20));
  });

  it('deletes expired rows with every sign-in, and keeps the others', async () => {
    const [expired, kept] = [await signIn(url), await signIn(url)];
    await refresh(url, kept.refreshToken);
    await query(`UPDATE refresh_tokens SET expires_at = now() - interval '1 day' WHERE session_id = $1`, [
      sessionOf(expired),
    ]);
    // Only the used one of its two refresh tokens expires, so the session stays.
    await query(
      `UPDATE refresh_tokens SET expires_at = now() - interval '1 day' WHERE session_id = $1 AND used_at IS NOT NULL`,
      [sessionOf(kept)],
    );
    await query(
      `INSERT INTO used_nonces SELECT 'old' || n, now() - interval '1 hour' FROM generate_series(1, 30) n`,
    );
    const count = async (text: string, values: unknown[] = []) => (await query(text, values)).length;
    await Promise.all([signIn(url), signIn(url), signIn(url)]);
    expect(await count(`SELECT FROM used_nonces WHERE nonce LIKE 'old%'`)).toBe(0);
    expect(await count(`SELECT FROM used_nonces`)).toBeGreaterThan(0);
    expect(await count('SELECT FROM refresh_tokens WHERE session_id = $1', [sessionOf(expired)])).toBe(0);
    expect(await count('SELECT FROM sessions WHERE id = $1', [sessionOf(expired)])).toBe(0);
    expect(await count('SELECT FROM refresh_tokens WHERE session_id = $1', [sessionOf(kept)])).toBe(1);
    expect(await count('SELECT FROM sessions WHERE id = $1', [sessionOf(kept)])).toBe(1);
  });

  it('finds expired nonces by an index', async () => {
    await query(`INSERT INTO used_nonces SELECT 'many' || n, now() FROM generate_series(1, 5000) n`);
    await query('ANALYZE used_nonces');
    const plan = await query(
      `EXPLAIN SELECT nonce FROM used_nonces WHERE expires_at < now() - interval '5 minutes' ORDER BY expires_at LIMIT 20`,
    );
    expect(JSON.stringify(plan)).toContain('used_nonces_expiry_idx');
  });

  it('recovers from a short outage, with 503 and Retry-After in between', async () => {
    const { token } = await signIn(url);
    const postmaster = Number(
      (await readFile(`${server.dataDir}/postgres/postmaster.pid`, 'utf8')).split('\n')[0],
    );
    process.kill(postmaster, 'SIGKILL');
    const seen = new Set<number>();
    await until(async () => {
      const [reply, outcome] = await Promise.all([
        refresh(url, 'rt_unknown'),
        support.refusal(support.socket(url, { token, protocolVersion })),
      ]);
      seen.add(reply.status);
      if (reply.status === 503) {
        expect(reply.body).toMatchObject({ error: 'service_unavailable', retryAfter: 1 });
        expect(reply.headers['retry-after']).toBe('1');
      }
      if (outcome) expect(outcome.data).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfter: 1 });
      return seen.has(503) && outcome;
    }, 'the outage is visible');
    const parley = new Parley({ apiKey: '', baseUrl: url, sessionToken: token });
    const stateAfter = parley.calls.getActive().then(
      () => parley.state,
      () => parley.state,
    );
    await until(async () => {
      const { status } = await refresh(url, 'rt_unknown');
      seen.add(status);
      return status === 401;
    }, 'the database is back');
    // A client whose handshake failed during the outage keeps trying.
    expect(await stateAfter).toBe('connected');
    expect([...seen].filter((status) => status !== 503 && status !== 401)).toEqual([]);
    parley.close();
    await until(
      async () => (await support.refusal(support.socket(url, { token, protocolVersion }))) === null,
      'the handshake works again',
    );
  });
});

it('keeps sessions across a restart', async () => {
  const session = await signIn(url);
  expect(await server.stop()).toBe(0);
  await server.start();
  expect(await isAccepted(session.token)).toBe(true);
  expect((await refresh(url, session.refreshToken)).status).toBe(200);
});
