import { client, xml, type Client } from '@xmpp/client';
import { WebSocket } from 'ws';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { Ejabberd, xmppAdmin } from '../../harness/services/Ejabberd.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { FakeServer } from '../../harness/services/FakeServer.ts';
import { until } from '../../harness/until.ts';
import { api, newCustomer, newKey, queryDatabase, wrongBalances } from '../money/accountSupport.ts';
import { bearer, type Reply } from '../support.ts';

// Node.js has a global WebSocket from version 22 on.
globalThis.WebSocket ??= WebSocket as unknown as typeof globalThis.WebSocket;

let ejabberd: Ejabberd;
/** A proxy between the server and ejabberd that can lose requests and responses. */
let proxy: FakeServer;
let server: ServerProcess;
let key: Record<string, string>;
/**
 * What gets lost, by user. With `request` or `answer`, the request or its answer hangs forever. With `once`, the connection closes instead
 * of the next answer; with `all`, instead of every answer.
 */
const losing = new Map<string, 'request' | 'answer' | 'once' | 'all'>();
const never = new Promise<null>(() => {});

beforeAll(async () => {
  ejabberd = await Ejabberd.start();
  proxy = await FakeServer.start(async ({ path, headers, body }) => {
    const { user } = JSON.parse(body) as { user: string };
    const lost = losing.get(user);
    if (lost === 'once') losing.delete(user);
    if (lost === 'request') return never;
    const { authorization = '' } = headers;
    const url = ejabberd.apiUrl + path.replace('/api', '');
    const reply = await fetch(url, { method: 'POST', headers: { authorization }, body });
    if (lost === 'answer') return never;
    return lost ? null : { status: reply.status, body: await reply.text() };
  });
  server = await ServerProcess.start({
    XMPP_API_URL: `${proxy.url}/api`,
    XMPP_API_USER: xmppAdmin.user,
    XMPP_API_PASSWORD: xmppAdmin.password,
    XMPP_DOMAIN: ejabberd.domain,
    XMPP_HOST: '127.0.0.1',
    XMPP_WEBSOCKET_URL: ejabberd.websocketUrl,
    REQUEST_LEASE_SECONDS: '2',
    SIGNUP_CREDITS: '5000',
  });
  key = await newKeyOf();
});
afterAll(async () => {
  await server?.dispose();
  await proxy?.close();
  await ejabberd?.dispose();
});
afterEach(async () => {
  losing.clear();
  await Promise.all([...open].map((each) => each.stop()));
  open.clear();
});

const open = new Set<Client>();
const newKeyOf = async () =>
  bearer((await newKey(server.url, await newCustomer(server.url), { scopes: keyScopes })).secret);
const provision = (body: object = {}, headers = key): Promise<Reply> =>
  api(server.url, 'POST', '/xmpp/provision', headers, body);
const credits = async (headers = key) => (await api(server.url, 'GET', '/account/credits', headers)).body;
const exists = async (user: string) =>
  (await ejabberd.call('check_account', { user, host: ejabberd.domain }))[1] === 0;

interface Account {
  username: string;
  password: string;
  domain: string;
  jid: string;
}

async function logIn({ username, password, domain }: Account, service: string): Promise<Client> {
  // The client's own limit is 2 s, which ejabberd exceeds on a busy machine.
  const xmpp = client({ service, domain, username, password, timeout: 45_000 });
  xmpp.on('error', () => {});
  open.add(xmpp);
  await xmpp.start();
  // Once ejabberd has sent the presence back, messages arrive.
  const isPresent = new Promise<void>((resolve) => {
    xmpp.on('stanza', (stanza) => stanza.is('presence') && resolve());
  });
  await xmpp.send(xml('presence'));
  await isPresent;
  return xmpp;
}

const messageTo = (of: Client) =>
  new Promise<[from: string, text: string | null]>((resolve) => {
    of.on('stanza', (stanza) => {
      if (stanza.is('message') && stanza.getChild('body'))
        resolve([(stanza.attrs.from as string).split('/')[0] ?? '', stanza.getChildText('body')]);
    });
  });

describe('an XMPP account', () => {
  it('logs in over TCP and WebSocket, and exchanges messages', async () => {
    const before = await credits();
    const first = await provision({ username: 'ada.l-99_x' });
    expect([first.status, first.body]).toEqual([
      201,
      {
        jid: 'ada.l-99_x@xmpp.example',
        username: 'ada.l-99_x',
        domain: 'xmpp.example',
        password: expect.stringMatching(/^[\w-]{24}$/) as string,
        host: '127.0.0.1',
        port: 5222,
        websocketUrl: ejabberd.websocketUrl,
        smsGateway: null,
        numberId: null,
        credits: 100,
        balance: Number(before.credits) - 100,
        createdAt: expect.any(String) as string,
      },
    ]);
    const second = await provision();
    expect(second.body.username).toMatch(/^[a-z0-9._-]{3,32}$/);
    const [ada, grace] = [first.body, second.body].map((body) => body as unknown as Account);
    if (!ada || !grace) throw new Error('fewer than two accounts were created');
    const adaClient = await logIn(ada, ejabberd.service);
    const graceClient = await logIn(grace, ejabberd.websocketUrl);
    const received = messageTo(graceClient);
    await adaClient.send(xml('message', { type: 'chat', to: grace.jid }, xml('body', {}, 'Hello, Grace.')));
    expect(await received).toEqual([ada.jid, 'Hello, Grace.']);
    const back = messageTo(adaClient);
    await graceClient.send(xml('message', { type: 'chat', to: ada.jid }, xml('body', {}, 'Hello, Ada.')));
    expect(await back).toEqual([grace.jid, 'Hello, Ada.']);
    // Neither the database nor the log contains the passwords.
    const rows = await queryDatabase(server, 'SELECT t::text AS line FROM xmpp_accounts t');
    expect(JSON.stringify(rows) + server.log).not.toContain(ada.password);
    await expect(logIn({ ...ada, password: 'guessed' }, ejabberd.service)).rejects.toThrow('not-authorized');
    expect(await wrongBalances(server)).toEqual([]);
  });

  it('has a unique name, even with external accounts and simultaneous requests', async () => {
    await ejabberd.call('register', { user: 'outside', host: ejabberd.domain, password: 'external' });
    const before = await credits();
    for (let round = 0; round < 2; round++) {
      const reply = await provision({ username: 'outside' });
      expect([reply.status, reply.body.error]).toEqual([409, 'username_taken']);
    }
    const replies = await Promise.all(Array.from({ length: 8 }, () => provision({ username: 'wanted' })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
    expect(await credits()).toMatchObject({ credits: Number(before.credits) - 100, reserved: 0 });
    const external = { user: 'outside', host: ejabberd.domain, password: 'external' };
    expect(await ejabberd.call('check_password', external)).toEqual([200, 0]);
  });

  it('returns the password once: a replay needs the same key and body', async () => {
    const headers = { ...key, 'Idempotency-Key': 'one' };
    const first = await provision({ username: 'replayed' }, headers);
    const again = await provision({ username: 'replayed' }, headers);
    expect([again.body, again.headers['idempotent-replayed']]).toEqual([first.body, 'true']);
    expect((await provision({ username: 'replayed' })).status).toBe(409);
  });

  it('rejects another account’s number', async () => {
    const reply = await provision({ username: 'numbered', numberId: 'num_000000000000000000000000' });
    expect([reply.status, reply.body.error]).toEqual([422, 'validation_failed']);
    expect(reply.body.details).toMatchObject([{ path: 'numberId', code: 'unknown_number' }]);
    expect(await exists('numbered')).toBe(false);
  });
});

describe('an account with an unknown outcome', () => {
  const runJobNow = () => queryDatabase(server, `UPDATE due SET due_at = now() WHERE kind = 'xmpp account'`);
  const rowsOf = (username: string) =>
    queryDatabase(server, 'SELECT status FROM xmpp_accounts WHERE username = $1', [username]);

  it('costs nothing and frees the name for the next attempt', async () => {
    const before = await credits();
    losing.set('lost.answer', 'once');
    const reply = await provision({ username: 'lost.answer' });
    expect([reply.status, reply.body.error]).toEqual([502, 'upstream_error']);
    expect(await credits()).toMatchObject({ credits: before.credits, reserved: 0 });
    // The account was created and removed.
    expect(proxy.received.slice(-3).map(({ path }) => path)).toEqual([
      '/api/register',
      '/api/check_password',
      '/api/unregister',
    ]);
    expect(await exists('lost.answer')).toBe(false);
    expect((await provision({ username: 'lost.answer' })).status).toBe(201);
  });

  it('is removed later when the first cleanup fails', async () => {
    losing.set('lost.all', 'all');
    expect((await provision({ username: 'lost.all' })).status).toBe(502);
    expect([await exists('lost.all'), await rowsOf('lost.all')]).toEqual([true, [{ status: 'submitting' }]]);
    losing.clear();
    await runJobNow();
    await until(async () => (await rowsOf('lost.all')).length === 0, 'its row is removed');
    expect(await exists('lost.all')).toBe(false);
  });

  it('is settled by the restarted server after a kill', async () => {
    const cases = [
      { username: 'killed.after', lost: 'answer' },
      { username: 'killed.before', lost: 'request' },
      // An account of this name is created outside the server in the meantime. The server does not touch it.
      { username: 'external.now', lost: 'request' },
    ] as const;
    for (const { username, lost } of cases) losing.set(username, lost);
    const customers = await Promise.all(cases.map(() => newKeyOf()));
    const headersOf = (index: number) => ({ ...customers[index], 'Idempotency-Key': 'one' });
    const asked = proxy.received.length;
    const answers = cases.map(({ username }, index) =>
      provision({ username }, headersOf(index)).catch(() => 'lost'),
    );
    await until(() => proxy.received.length === asked + 3, 'ejabberd is asked');
    await until(() => exists('killed.after'), 'the first account exists');
    await server.kill();
    expect(await Promise.all(answers)).toEqual(['lost', 'lost', 'lost']);
    losing.clear();
    const external = { user: 'external.now', host: ejabberd.domain, password: 'external' };
    await ejabberd.call('register', external);

    await server.start();
    for (const headers of customers) {
      await until(async () => (await credits(headers)).reserved === 0, 'the reservation is settled');
      expect(await credits(headers)).toMatchObject({ credits: 5000 });
    }
    expect([await exists('killed.after'), await exists('killed.before')]).toEqual([false, false]);
    for (const { username } of cases) expect(await rowsOf(username)).toEqual([]);
    expect(await ejabberd.call('check_password', external)).toEqual([200, 0]);
    const again = await Promise.all(
      cases.map(({ username }, index) => provision({ username }, headersOf(index))),
    );
    expect(again.map(({ status, body }) => [status, body.balance ?? body.error])).toEqual([
      [201, 4900],
      [201, 4900],
      [409, 'username_taken'],
    ]);
    expect(await wrongBalances(server)).toEqual([]);
  });
});

it('is removed with the account that it belongs to', async () => {
  const own = await newKeyOf();
  const { body } = await provision({}, own);
  const { username } = body as unknown as Account;
  expect(await exists(username)).toBe(true);
  const { id } = (await api(server.url, 'GET', '/account', own)).body;
  await queryDatabase(server, 'INSERT INTO erasures (account_id, due_at) VALUES ($1, now())', [id]);
  await queryDatabase(
    server,
    `INSERT INTO due (kind, subject, due_at, payload) VALUES ('account.erase', $1, now(), '{}')`,
    [id],
  );
  await until(async () => !(await exists(username)), 'the XMPP account is gone');
});
