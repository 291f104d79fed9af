import { execFileSync } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteStatement } from '../../../sdk/protocol/statements.ts';
import { isDeletedWallet, Parley } from '../../../sdk/src/index.ts';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { until } from '../../harness/until.ts';
import { created } from '../../scenarios/conference.ts';
import { groupOf } from '../../scenarios/groups.ts';
import { download, picture, recording, storedFiles, tone } from '../files/mediaSupport.ts';
import {
  api,
  connectDatabase,
  newKey,
  queryDatabase,
  roomySettings,
  wrongBalances,
} from '../money/accountSupport.ts';
import { ask, bearer, signedMessage, signIn } from '../support.ts';

/* Export and erasure of an account that has used everything. */

let harness: OneNode;
let alice: TestClient;
let bob: TestClient;
let carol: TestClient;
let dashboard: Record<string, string>;
let key: string;
let roomOfBob: string;
let groupId: string;

beforeAll(async () => {
  harness = await oneNode({ ...roomySettings, ERASURE_CLEANING_HOUR: '0' });
  const url = harness.url();
  [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
  const { token } = await signIn(url, alice.account, { audience: 'dashboard' });
  dashboard = bearer(token);
  const customer = { wallet: alice.address, dashboard, app: dashboard };
  key = (await newKey(url, customer, { name: 'alicekeyname', scopes: keyScopes })).secret;
  await live();
}, 60_000);
afterAll(() => harness?.close());

/** Words of Alice. None of them may be left anywhere. */
const words = [
  'alicedirectword',
  'alicegroupword',
  'alicefileword',
  'alicefilename',
  'aliceprofilename',
  'alicecontactname',
  'aliceroomname',
  'alicechatword',
  'aliceshownname',
  'alicestreamtitle',
  'alicerecordingtitle',
  'alicetextword',
  'alicekeyname',
  'alicehookname',
];

/** What is looked for of an address, in any case: without 0x, and only as much as earlier releases had in the words of messages. */
const digitsOf = ({ address }: TestClient) => address.slice(2, 40);

/** Alice uses everything. */
async function live(): Promise<void> {
  const { messages, people, conference, calls, voicemail, streaming } = alice.parley;
  const file = await picture();
  await people.setProfile({ name: 'aliceprofilename' });
  await people.saveContact(bob.address, 'alicecontactname');
  const direct = await messages.send({ to: bob.address, content: 'alicedirectword', type: 'text' });
  await messages.send({
    to: bob.address,
    content: '',
    type: 'image',
    media: { file, name: 'alicefilename.png' },
  });
  const note = { file: Buffer.from('alicefileword'), name: 'alicefilename.txt' };
  await messages.send({ to: bob.address, content: '', type: 'file', media: note });
  const hello = await bob.parley.messages.send({
    to: alice.address,
    content: `hello ${alice.address}`,
    type: 'text',
  });
  await messages.addReaction(hello.id, '👍');
  await bob.parley.messages.addReaction(direct.id, '🎉');
  // Each reacts once while the other has blocked them.
  await bob.parley.calls.block(alice.address);
  await messages.addReaction(hello.id, '👎');
  await bob.parley.calls.unblock(alice.address);
  await calls.block(bob.address);
  await bob.parley.messages.addReaction(direct.id, '🙈');
  await calls.unblock(bob.address);
  await bob.parley.messages.search({ query: 'alicedirectword' });
  // An earlier release has cut the words of a message.
  await rows('UPDATE message_words SET words = words || array_to_tsvector(ARRAY[$1]) WHERE message = $2', [
    ...[`prefix24317${alice.address.slice(0, 40).toLowerCase()}`, hello.id],
  ]);
  ({ id: groupId } = await groupOf(alice, bob, carol));
  await messages.send({ to: groupId, content: 'alicegroupword', type: 'text' });
  const call = await calls.start({ to: bob.address, type: 'audio' });
  await calls.end(call.id);
  await voicemail.record({ to: bob.address, file: await recording('speech.wav', ...tone(1)) });
  const own = await conference.create({ name: 'aliceroomname', maxParticipants: 10 });
  await conference.join(own.id, { displayName: 'aliceshownname' });
  await conference.sendChat(own.id, 'alicechatword');
  roomOfBob = await created(bob);
  await bob.parley.conference.join(roomOfBob);
  await conference.join(roomOfBob, { displayName: 'aliceshownname' });
  await conference.sendChat(roomOfBob, 'alicechatword');
  await conference.leave(roomOfBob);
  await bob.parley.conference.end(roomOfBob);
  await streaming.create({ title: 'alicestreamtitle' });
  await rows(
    `INSERT INTO recordings (id, kind, room_id, host, title, status, started_at, ended_at, size_bytes)
     VALUES ('rec_alice', 'conference', $2, $1, 'alicerecordingtitle', 'ready', now(), now(), 1000)`,
    [alice.address, own.id],
  );
  const backend = new Parley({ baseUrl: harness.url(), auth: { apiKey: key } });
  await backend.sms.send({ to: '+4915112345678', message: 'alicetextword' });
  await backend.webhooks.create({ url: 'https://hooks.example/', description: 'alicehookname' });
}

const ofAlice = (method: string, path: string, body?: unknown) =>
  api(harness.url(), method, path, dashboard, body);
const rows = (text: string, values: unknown[] = []) => queryDatabase(harness.server, text, values);

describe('the export', () => {
  it('has each subject and file, without secrets and without what others have hidden', async () => {
    expect((await ofAlice('GET', '/account/export')).body).toEqual({ export: null });
    await rows(`UPDATE voicemails SET read_at = now(), transcript = '{"text": "what Bob reads"}'`);
    const started = await ofAlice('POST', '/account/export');
    expect([started.status, started.body]).toEqual([
      202,
      expect.objectContaining({ status: 'running', url: null }),
    ]);
    const latest = async () =>
      ((await ofAlice('GET', '/account/export')).body as { export: Record<string, unknown> }).export;
    await until(async () => (await latest())['status'] === 'ready', 'the archive is ready');
    const { url, done, total, size, expiresAt } = await latest();
    expect(done).toBe(total);
    expect(Date.parse(String(expiresAt)) - Date.now()).toBeGreaterThan(2.9 * 86_400_000);
    const { status, bytes } = await download(String(url));
    expect([status, bytes.length]).toEqual([200, size]);
    const entries = unzipSync(bytes);
    const list = (name: string) =>
      JSON.parse(Buffer.from(entries[`data/${name}.json`] ?? []).toString()) as Record<string, unknown>[];
    const contents = list('messages').map(({ content }) => content);
    expect(contents.sort()).toEqual(['', '', 'alicedirectword', 'alicegroupword', `hello ${alice.address}`]);
    // Her own reactions, also the one that Bob does not see, and Bob's, except the one that she does not see.
    const at = expect.any(String) as string;
    const reactionsTo = (text: string) =>
      list('messages').find(({ content }) => content === text)?.['reactions'];
    expect(reactionsTo(`hello ${alice.address}`)).toEqual([
      { emoji: '👍', from: alice.address, at },
      { emoji: '👎', from: alice.address, at },
    ]);
    expect(reactionsTo('alicedirectword')).toEqual([{ emoji: '🎉', from: bob.address, at }]);
    expect(reactionsTo('alicegroupword')).toEqual([]);
    const one = (name: string) => list(name)[0];
    expect(one('account')).toMatchObject({ wallet: alice.address });
    expect(one('profile')).toMatchObject({ name: 'aliceprofilename' });
    expect(one('contacts')).toMatchObject({ contact: bob.address, name: 'alicecontactname' });
    expect(one('groups')).toMatchObject({ id: groupId });
    expect(one('calls')).toMatchObject({ caller: alice.address, callee: bob.address });
    expect(one('voicemails')).toMatchObject({ sender: alice.address, recipient: bob.address });
    // Alice left it for Bob.
    for (const name of ['status', 'read_at', 'transcript'])
      expect(one('voicemails')).not.toHaveProperty([name]);
    expect(one('rooms')).toMatchObject({ name: 'aliceroomname', host: alice.address });
    expect(list('roomChat').map(({ content }) => content)).toEqual(['alicechatword', 'alicechatword']);
    expect(one('streams')).toMatchObject({ title: 'alicestreamtitle' });
    expect(one('texts')).toMatchObject({ text: 'alicetextword', counterparty: '+4915112345678' });
    expect(one('apiKeys')).toMatchObject({ name: 'alicekeyname' });
    expect(one('webhooks')).toMatchObject({ description: 'alicehookname' });
    expect(list('ledger').map(({ type }) => type)).toEqual(['credit', 'debit']);
    expect(list('sessions')).toHaveLength(2);
    expect(list('audit').length).toBeGreaterThan(0);
    for (const name of ['hash', 'secret', 'keySealed', 'codeHash', 'walletEvidence', 'hidden'])
      expect(Object.values(entries).some((entry) => Buffer.from(entry).includes(`"${name}"`))).toBe(false);
    const media = Object.keys(entries).filter((name) => name.startsWith('media/'));
    expect(media.map((name) => name.split(' ')[1]).sort()).toMatchObject(
      expect.arrayContaining(['alicefilename.png', 'alicefilename.txt']),
    );
    expect(media).toHaveLength(3);
    const text = media.find((name) => name.endsWith('alicefilename.txt')) ?? '';
    expect(Buffer.from(entries[text] ?? []).toString()).toBe('alicefileword');
    const readme = Buffer.from(entries['README.txt'] ?? []).toString();
    for (const name of Object.keys(entries)) if (name.startsWith('data/')) expect(readme).toContain(name);
  });

  it('is limited, continues after kill -9, and counts for no quota', async () => {
    const used = () => rows('SELECT bytes FROM file_usage WHERE holder = $1', [alice.address]);
    const before = await used();
    expect((await ofAlice('POST', '/account/export')).status).toBe(202);
    await harness.server.kill();
    await harness.server.start();
    const isReady = async () =>
      (await rows(`SELECT id FROM data_exports WHERE status IN ('ready', 'expired')`)).length === 2;
    await until(isReady, 'the second archive is ready');
    expect(await used()).toEqual(before);
    expect((await ofAlice('POST', '/account/export')).status).toBe(202);
    await until(
      async () =>
        (await rows(`SELECT id FROM data_exports WHERE status IN ('ready', 'expired')`)).length === 3,
      'the third is ready',
    );
    const refused = await ofAlice('POST', '/account/export');
    expect([refused.status, refused.body['error']]).toEqual([429, 'rate_limit_exceeded']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(80_000);
  });
});

describe('the erasure', () => {
  const proof = async (account = alice.account, accountId?: string) => {
    const id = accountId ?? String((await ofAlice('GET', '/account')).body['id']);
    const signed = await signedMessage(harness.url(), account, { statement: deleteStatement(id) });
    return { type: 'wallet', ...signed };
  };

  it('needs a fresh proof of this wallet for this account, and can be withdrawn', async () => {
    const request = async (body: unknown) => {
      const reply = await ofAlice('DELETE', '/account', body);
      return [reply.status, reply.body['error']];
    };
    expect(await request({ type: 'wallet', ...(await signedMessage(harness.url(), alice.account)) })).toEqual(
      [401, 'invalid_token'],
    );
    expect(await request(await proof(bob.account))).toEqual([403, 'access_denied']);
    expect(await request(await proof(alice.account, 'acc_other'))).toEqual([401, 'invalid_token']);
    expect(await request({ type: 'oidc', token: 'x' })).toEqual([503, 'service_unavailable']);
    const good = await proof();
    const stolen = await ask(harness.url(), 'POST', '/api/v1/auth/verify', {
      body: { ...good, type: undefined },
    });
    expect(stolen.status).toBe(401);
    expect((await ofAlice('GET', '/account/deletion')).body).toEqual({ deletion: null });
    const { status, body } = await ofAlice('DELETE', '/account', good);
    expect(status).toBe(202);
    expect(Date.parse(String(body['deletesAt'])) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
    expect(await request(good)).toEqual([401, 'invalid_token']);
    // The same date, as seen after another sign-in.
    const again = await signIn(harness.url(), alice.account);
    const seen = await api(harness.url(), 'GET', '/account/deletion', bearer(again.token));
    expect(seen.body).toEqual({ deletion: body });
    expect((await ofAlice('POST', '/account/restore')).status).toBe(200);
    expect((await ofAlice('POST', '/account/restore')).status).toBe(409);
    expect((await ofAlice('GET', '/account/deletion')).body).toEqual({ deletion: null });
  });

  it('leaves neither the address nor words in the database, the files and the log, even after kill -9', async () => {
    const { server } = harness;
    await ofAlice('DELETE', '/account', await proof());
    await rows('CHECKPOINT');
    // What is looked for is found before.
    expect(
      [...words, digitsOf(alice)].filter((word) => filesWith(word, server.dataDir).length === 0),
    ).toEqual([]);
    const [{ id: accountId } = {}] = await rows('SELECT id FROM accounts WHERE wallet = $1', [alice.address]);
    const started = rows(`UPDATE erasures SET due_at = now(); `).then(() =>
      rows(`UPDATE due SET due_at = now() WHERE kind = 'account.erase'`),
    );
    await started;
    await until(
      async () => (await rows('SELECT started_at FROM erasures WHERE started_at IS NOT NULL')).length === 1,
      'the erasure has begun',
    );
    await server.kill();
    await server.start();
    const refused = await ask(server.url, 'POST', '/api/v1/auth/verify', {
      body: await signedMessage(server.url, alice.account),
    });
    expect([refused.status, refused.body['error']]).toEqual([409, 'conflict']);
    expect((await ofAlice('GET', '/account')).status).toBe(401);
    expect((await api(server.url, 'GET', '/account', bearer(key))).status).toBe(401);
    // As long as this transaction is open, PostgreSQL keeps the rows that it could read.
    const reader = await connectDatabase(server);
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    // Otherwise, the job continues when the lease of the killed process ends.
    await rows(`UPDATE due SET lease_until = NULL WHERE kind = 'account.erase'`);
    await until(
      async () => (await rows('SELECT erased_at FROM erasures WHERE erased_at IS NOT NULL')).length === 1,
      'the account is erased',
    );
    const indexed = await rows('SELECT words::text FROM message_words');
    expect(indexed).not.toEqual([]);
    expect(JSON.stringify(indexed).toLowerCase()).not.toContain(digitsOf(alice).toLowerCase());
    await rows(`UPDATE due SET due_at = now() WHERE kind = 'erasure.clean'`);
    await until(
      () => server.logged('cleaning waits for open transactions').length > 0,
      'the cleaning waits for the reader',
    );
    expect(server.logged('tables rewritten after an erasure')).toEqual([]);
    await reader.end();
    await until(
      () => server.logged('tables rewritten after an erasure').length > 0,
      'the tables are rewritten',
    );
    const ledger = await rows(
      'SELECT description, reference_type, amount FROM ledger WHERE account_id = $1',
      [accountId],
    );
    expect(ledger).toHaveLength(2);
    expect(ledger).toContainEqual({ description: '', reference_type: 'erased', amount: '500' });
    expect(await wrongBalances(server)).toEqual([]);
    await server.stop();
    const wanted = [...words, digitsOf(alice)];
    expect(wanted.filter((word) => server.log.toLowerCase().includes(word.toLowerCase()))).toEqual([]);
    expect(wanted.flatMap((word) => filesWith(word, server.dataDir))).toEqual([]);
    // What is searched is found: the address of another person, and what that person wrote.
    expect(filesWith(digitsOf(bob), server.dataDir)).not.toEqual([]);
    await server.start();
    expect(storedFiles(server)).toEqual([]);
  });

  it('shows others a deleted account, and leaves them what is theirs', async () => {
    const again = await harness.client(bob.account);
    const conversations = await again.parley.messages.getConversations();
    const direct = conversations.find(({ group }) => !group);
    const peer = String(direct?.with);
    expect(isDeletedWallet(peer)).toBe(true);
    const messages = await again.parley.messages.getMessages({ with: peer });
    expect(messages.map(({ content, deletedAt }) => [content, deletedAt !== null]).sort()).toEqual([
      ['', true],
      ['', true],
      ['', true],
      [`hello ${peer}`, false],
    ]);
    const group = await again.parley.groups.get(groupId);
    expect(group.members.map(({ walletAddress }) => walletAddress).sort()).toEqual(
      [bob.address, carol.address].sort(),
    );
    expect(group.members.some(({ role }) => role === 'admin')).toBe(true);
    const [call] = await again.parley.calls.getHistory();
    expect(call?.from).toBe(peer);
    expect(await again.parley.voicemail.getAll()).toEqual([]);
    expect(await again.parley.conference.getChat(roomOfBob)).toEqual([]);
    expect((await again.parley.people.contacts()).data).toMatchObject([
      { walletAddress: peer, name: 'Friend' },
    ]);
  });

  it('gives the wallet a new, empty account at its next sign-in', async () => {
    const back = await harness.client(alice.account);
    expect(await back.parley.messages.getConversations()).toEqual([]);
    expect(await back.parley.calls.getHistory()).toEqual([]);
    await back.parley.messages.send({ to: bob.address, content: 'me again', type: 'text' });
    const theirs = await harness.client(bob.account);
    expect(
      (await theirs.parley.messages.getMessages({ with: alice.address })).map(({ content }) => content),
    ).toEqual(['me again']);
    expect(await rows('SELECT credits FROM accounts WHERE wallet = $1', [alice.address])).toEqual([
      { credits: '500' },
    ]);
  });
});

it('leaves no archive of an export that was being written when the erasure began', async () => {
  const { server } = harness;
  const before = storedFiles(server);
  const dave = await harness.client();
  const { token } = await signIn(server.url, dave.account, { audience: 'dashboard' });
  const ofDave = (method: string, path: string) => api(server.url, method, path, bearer(token));
  const note = { file: Buffer.from('davefileword'), name: 'note.txt' };
  await dave.parley.messages.send({ to: bob.address, content: '', type: 'file', media: note });
  // The export waits for the end of this file, which is a pipe.
  const [{ key: objectKey } = {}] = await rows('SELECT object_key AS key FROM files WHERE wallet = $1', [
    dave.address,
  ]);
  const path = join(server.dataDir, 'files', String(objectKey));
  await rm(path);
  execFileSync('mkfifo', [path]);
  const pipe = await open(path, 'r+');
  try {
    const id = String((await ofDave('GET', '/account')).body['id']);
    expect((await ofDave('POST', '/account/export')).status).toBe(202);
    const isAtPipe = `SELECT FROM data_exports WHERE account_id = $1 AND total > 0 AND done = total - 1`;
    await until(async () => (await rows(isAtPipe, [id])).length === 1, 'the export reads the pipe');
    await startErasure(dave, bearer(token));
    await until(() => isErased(id), 'the account is erased');
    await pipe.close();
    const isExporting = `SELECT FROM due WHERE kind = 'account.export'`;
    await until(async () => (await rows(isExporting)).length === 0, 'the export has ended');
    expect(await rows('SELECT * FROM files WHERE wallet = $1', [`account:${id}`])).toEqual([]);
    expect(storedFiles(server)).toEqual(before);
  } finally {
    await pipe.close();
  }
});

it.each(['that somebody searches', 'that is being sent'])(
  'empties a message %s while the erasure runs, also in a group',
  async (which) => {
    const { server } = harness;
    const [erin, frank] = [await harness.client(), await harness.client()];
    const { token } = await signIn(server.url, erin.account, { audience: 'dashboard' });
    const group = await groupOf(erin, frank);
    for (const to of [frank.address, group.id])
      await erin.parley.messages.send({ to, content: 'erinword', type: 'text' });
    const other = await connectDatabase(server);
    await other.query('BEGIN');
    if (which === 'that somebody searches')
      await other.query('SELECT FROM wallet_messages WHERE sender = $1 FOR SHARE', [erin.address]);
    else {
      const ofErin = 'FROM wallet_messages WHERE sender = $1';
      await other.query(
        `SELECT FROM conversations WHERE id IN (SELECT conversation ${ofErin}) ORDER BY id FOR UPDATE`,
        [erin.address],
      );
      await other.query(
        `INSERT INTO wallet_messages (id, conversation, sender, recipient, type, content, sent_at)
         SELECT 'late' || id, conversation, sender, recipient, type, 'erinlateword', now() ${ofErin}`,
        [erin.address],
      );
    }
    const id = await startErasure(erin, bearer(token));
    const isWaiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
    await until(async () => (await rows(isWaiting)).length > 0, 'the erasure waits');
    await other.query('COMMIT');
    await other.end();
    await until(() => isErased(id), 'the account is erased');
    const left =
      'SELECT DISTINCT recipient, content FROM wallet_messages WHERE recipient = ANY($1) ORDER BY 1';
    expect(await rows(left, [[frank.address, group.id]])).toEqual([
      { recipient: frank.address, content: '' },
      { recipient: group.id, content: '' },
    ]);
  },
);

it('waits for a search that is being prepared, before it locks messages', async () => {
  const ivan = await harness.client();
  const { token } = await signIn(harness.url(), ivan.account, { audience: 'dashboard' });
  await ivan.parley.messages.send({ to: bob.address, content: 'hello', type: 'text' });
  await ivan.event('message:delivered');
  const ofIvan = 'conversation IN (SELECT conversation FROM wallet_messages WHERE sender = $1)';
  const search = await connectDatabase(harness.server);
  await search.query('BEGIN');
  await search.query(`SELECT FROM conversation_members WHERE wallet = $2 AND ${ofIvan} FOR NO KEY UPDATE`, [
    ivan.address,
    bob.address,
  ]);
  const deadlocks = () => rows('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()');
  const before = await deadlocks();
  const id = await startErasure(ivan, bearer(token));
  const isWaiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
  await until(async () => (await rows(isWaiting)).length > 0, 'the erasure waits');
  await search.query(`SELECT FROM wallet_messages WHERE ${ofIvan} FOR SHARE`, [ivan.address]);
  await search.query('COMMIT');
  await search.end();
  await until(() => isErased(id), 'the account is erased');
  expect(await deadlocks()).toEqual(before);
});

it('erases what was locked when it came by', async () => {
  const kate = await harness.client();
  const { token } = await signIn(harness.url(), kate.account, { audience: 'dashboard' });
  await kate.parley.calls.block(bob.address);
  const other = await connectDatabase(harness.server);
  await other.query('BEGIN');
  await other.query('SELECT FROM blocks WHERE wallet = $1 FOR UPDATE', [kate.address]);
  const id = await startErasure(kate, bearer(token));
  // A run after the first five seconds would be the last one.
  const hasPassed = `SELECT FROM erasures e JOIN due d ON d.subject = e.account_id AND d.kind = 'account.erase'
    WHERE e.account_id = $1 AND d.due_at > e.started_at + interval '9 seconds'`;
  const isWaiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
  const isEither = async () => (await rows(hasPassed, [id])).length + (await rows(isWaiting)).length > 0;
  await until(isEither, 'the erasure has left the row');
  await other.query('COMMIT');
  await other.end();
  await until(() => isErased(id), 'the account is erased');
  expect(await rows('SELECT FROM blocks WHERE blocked = $1', [bob.address])).toEqual([]);
});

it('does not wait for the calls of a wallet that the person has blocked', async () => {
  const [lena, caller] = [await harness.client(), await harness.client()];
  const { token } = await signIn(harness.url(), lena.account, { audience: 'dashboard' });
  await lena.parley.calls.block(caller.address);
  const call = await caller.parley.calls.start({ to: lena.address, type: 'audio' });
  // As if the wallet called again and again.
  await rows(`UPDATE due SET due_at = now() + interval '1 hour' WHERE subject = $1`, [call.id]);
  const id = await startErasure(lena, bearer(token));
  await until(() => isErased(id), 'the account is erased');
  // The person was not told of the call, so its end is the caller's.
  expect(await caller.parley.calls.getActive()).toMatchObject([{ id: call.id, status: 'ringing' }]);
  await caller.parley.calls.end(call.id);
});

it('closes the connections of sessions that had ended without that', async () => {
  const gina = await harness.client();
  await gina.parley.calls.getActive();
  const { token } = await signIn(harness.url(), gina.account, { audience: 'dashboard' });
  // As if the server had been killed after it had ended the session, and before it closed the connection.
  await rows(`UPDATE sessions SET ended_at = now() WHERE wallet = $1 AND audience = 'app'`, [gina.address]);
  await startErasure(gina, bearer(token));
  const closed = await gina.event('connection:changed', ({ state }) => state === 'closed');
  expect(closed.error).toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
});

it('closes the connection of a session that was stored just after the erasure began', async () => {
  const hugo = await harness.client();
  // The erasure waits for this message before it deletes sessions.
  await hugo.parley.messages.send({ to: bob.address, content: 'hello', type: 'text' });
  const { token } = await signIn(harness.url(), hugo.account, { audience: 'dashboard' });
  const other = await connectDatabase(harness.server);
  await other.query('BEGIN');
  await other.query('SELECT FROM wallet_messages WHERE sender = $1 FOR SHARE', [hugo.address]);
  // As if the sign-in of the app were not committed yet.
  const setAccount = `UPDATE sessions SET account_id = (SELECT id FROM accounts WHERE wallet = $2)
    WHERE wallet = $1 AND audience = 'app'`;
  await rows(setAccount, [hugo.address, bob.address]);
  const id = await startErasure(hugo, bearer(token));
  const isWaiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
  await until(async () => (await rows(isWaiting)).length > 0, 'the erasure waits');
  await rows(setAccount, [hugo.address, hugo.address]);
  await other.query('COMMIT');
  await other.end();
  const closed = await hugo.event('connection:changed', ({ state }) => state === 'closed');
  expect(closed.error).toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
  await until(() => isErased(id), 'the account is erased');
  expect(await rows('SELECT FROM sessions WHERE account_id = $1', [id])).toEqual([]);
});

/** Requests the erasure of an account, which begins at once. @returns the id of the account */
async function startErasure({ account }: TestClient, session: Record<string, string>): Promise<string> {
  const { url } = harness.server;
  const id = String((await api(url, 'GET', '/account', session)).body['id']);
  const signed = await signedMessage(url, account, { statement: deleteStatement(id) });
  expect((await api(url, 'DELETE', '/account', session, { type: 'wallet', ...signed })).status).toBe(202);
  await rows('UPDATE erasures SET due_at = now() WHERE account_id = $1', [id]);
  await rows(`UPDATE due SET due_at = now() WHERE kind = 'account.erase' AND subject = $1`, [id]);
  return id;
}

const isErased = async (id: string) =>
  (await rows('SELECT FROM erasures WHERE account_id = $1 AND erased_at IS NOT NULL', [id])).length === 1;

/** The files below a folder that contain a text, in any case. */
function filesWith(text: string, folder: string): string[] {
  try {
    const options = { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } } as const;
    return execFileSync('grep', ['-rliaF', text, folder], options)
      .trim()
      .split('\n')
      .map((path) => `${text}: ${path.slice(folder.length)}`);
  } catch (error) {
    // grep found nothing.
    if ((error as { status?: number }).status === 1) return [];
    throw error;
  }
}
