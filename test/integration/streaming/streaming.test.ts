import { getStreamChat } from '../../../sdk/src/http/getPublicStream.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { until } from '../../harness/until.ts';
import { refused } from '../../scenarios/conference.ts';
import { streamScenarios } from '../../scenarios/streaming.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { closeSockets, code, connected } from '../support.ts';

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode({ CALL_GRACE_SECONDS: '10', STREAM_RECONNECT_SECONDS: '15' });
});

afterAll(async () => {
  closeSockets();
  await harness?.close();
});

// The scenarios share no wallets, so they can run at the same time.
describe.concurrent('streams on one node', () => {
  it.each(Object.entries(streamScenarios))('%s', (_name, scenario) => scenario(harness));
});

it('counts the viewers again after a count has failed', async () => {
  const [host, viewer] = [await harness.client(), await harness.client()];
  const { id } = await host.parley.streaming.create({ title: 'x' });
  const query = (text: string) => queryDatabase(harness.server, text);
  await query(
    `ALTER TABLE streams ADD CONSTRAINT no_count CHECK (id <> '${id}' OR viewer_count = 0) NOT VALID`,
  );
  onTestFinished(async () => void (await query('ALTER TABLE streams DROP CONSTRAINT IF EXISTS no_count')));
  await viewer.parley.streaming.watch(id);
  await harness.server.waitForLog('viewer count not updated');
  await query('ALTER TABLE streams DROP CONSTRAINT no_count');
  await host.event('stream:viewer:count', ({ count }) => count === 1);
  await host.parley.streaming.end(id);
});

it('serves stream.json to any origin without a session, but never the stream key', async () => {
  const host = await harness.client();
  const stream = await host.parley.streaming.create({ title: 'Seen from outside', isPublic: false });
  const ask = (id: string) =>
    fetch(`${harness.url()}/watch/${id}/stream.json`, { headers: { Origin: 'https://other.example' } });
  const response = await ask(stream.id);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toMatchObject({
    id: stream.id,
    title: 'Seen from outside',
    host: host.address,
    isPublic: false,
    status: 'idle',
    streamKey: '',
  });
  expect((await ask('str_000000000000000000000000')).status).toBe(404);
  // The response is cached for at most a second.
  await host.parley.streaming.end(stream.id);
  await expect
    .poll(async () => (await (await ask(stream.id)).json()) as unknown)
    .toMatchObject({ status: 'ended' });
});

it('shows the chat of a public stream to people without a session, and no other chat', async () => {
  const host = await harness.client();
  const baseUrl = harness.url();
  const create = (over: object) => host.parley.streaming.create({ title: 'Chat', isPublic: true, ...over });
  const [open, hidden] = [await create({}), await create({ isPublic: false })];
  const sent: string[] = [];
  for (const content of ['one', 'two'])
    sent.push((await host.parley.streaming.sendChat(open.id, content)).message.id);
  const contents = async () =>
    (await getStreamChat(open.id, { baseUrl })).map(({ message }) => message.content);
  const [first] = await getStreamChat(open.id, { baseUrl });
  expect(first).toMatchObject({
    message: { id: sent[0], content: 'one', timestamp: expect.any(Date) as Date },
    sender: { walletAddress: host.address },
  });
  const { headers } = await fetch(`${baseUrl}/watch/${open.id}/chat.json`);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  await host.parley.streaming.deleteChat(open.id, sent[0] ?? '');
  await expect.poll(contents).toEqual(['two']);
  const reasonOf = (id: string) =>
    getStreamChat(id, { baseUrl }).then(
      () => 'ok',
      ({ reason }: { reason: string }) => reason,
    );
  expect(await reasonOf(hidden.id)).toBe('not_watching');
  expect(await reasonOf('str_000000000000000000000000')).toBe('not_found');
  await host.parley.streaming.end(open.id);
  await expect.poll(contents).toEqual([]);
});

it('is managed by a guest whose token has expired only while the guest is in it', async () => {
  const host = await harness.client();
  const { id } = await host.parley.streaming.create({ title: 'Late' });
  const token = await harness.token(id, { identity: 'moderator', role: 'host', expiresInSeconds: 6 });
  const expiresAt = Date.now() + 6_000;
  const { streaming } = harness.guest(token).parley;
  await streaming.watch(id);
  await until(() => Date.now() > expiresAt, 'the token has expired');
  expect(await streaming.getViewers(id)).toHaveLength(1);
  await streaming.unwatch(id);
  const expired = ['AUTHENTICATION_REQUIRED', 'token_expired'];
  expect(await refused(streaming.getViewers(id))).toEqual(expired);
  expect(await refused(streaming.end(id))).toEqual(expired);
});

it('is not managed by a guest whose token has expired and whose publication has ended', async () => {
  const host = await harness.client();
  const { id: streamId } = await host.parley.streaming.create({ title: 'Never live' });
  const token = await harness.token(streamId, { identity: 'presenter', role: 'host', expiresInSeconds: 6 });
  const expiresAt = Date.now() + 6_000;
  const [studio, tab] = [
    await connected(harness.url(), token.token),
    await connected(harness.url(), token.token),
  ];
  expect(await code(studio, 'streaming.start', { streamId })).toBe('ok');
  await until(() => Date.now() > expiresAt, 'the token has expired');
  const list = () => code(tab, 'streaming.getViewers', { streamId });
  expect(await list()).toBe('ok');
  studio.disconnect();
  await until(async () => (await list()) === 'AUTHENTICATION_REQUIRED', 'the guest manages it no longer');
  expect(await code(tab, 'streaming.end', { streamId })).toBe('AUTHENTICATION_REQUIRED');
  tab.disconnect();
});

it('has at most 10,000 bans', async () => {
  const [host, stranger] = [await harness.client(), await harness.client()];
  const { id } = await host.parley.streaming.create({ title: 'Strict' });
  await queryDatabase(
    harness.server,
    `INSERT INTO stream_bans (stream_id, wallet, banned_at)
      SELECT $1, 'guest:' || n, now() FROM generate_series(1, 9999) AS n`,
    [id],
  );
  await host.parley.streaming.ban(id, stranger.address);
  // Again, as after a lost answer.
  await host.parley.streaming.ban(id, stranger.address);
  const other = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
  expect(await refused(host.parley.streaming.ban(id, other))).toEqual(['CONFLICT', 'conflict']);
  await host.parley.streaming.ban(id, stranger.address, false);
  await host.parley.streaming.ban(id, other);
});

it('stores 50 chat messages that a viewer sends at once', async () => {
  const [host, viewer] = [await harness.client(), await harness.client()];
  const { id } = await host.parley.streaming.create({ title: 'Busy', isPublic: true });
  await viewer.parley.streaming.watch(id);
  const contents = Array.from({ length: 50 }, (_, index) => `message ${index}`);
  await Promise.all(contents.map((content) => viewer.parley.streaming.sendChat(id, content)));
  const stored = await host.parley.streaming.getChat(id, { limit: 100 });
  expect(stored.map(({ message }) => message.content).sort()).toEqual([...contents].sort());
});
