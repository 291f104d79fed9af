import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Parley } from '../../../sdk/src/Parley.ts';
import type { NewStreamToken, ParleyEvents } from '../../../sdk/src/index.ts';
import { RawStreamClient } from '../../harness/clients/RawStreamClient.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { twoNodes, type Cluster } from '../../harness/nodes/Cluster.ts';
import { until } from '../../harness/until.ts';
import { newCustomer, newKey, roomySettings } from '../money/accountSupport.ts';
import { refused } from '../../scenarios/conference.ts';
import { closeSockets } from '../support.ts';

/* A backend makes streams through one node; its guests are connected to the other. */

let cluster: Cluster;
let database: pg.Client;
let backend: Parley;
let other: Parley;
const guests: Parley[] = [];

const urlOf = (node: 0 | 1) => cluster.nodes[node]?.server.url ?? '';
const nobody = `str_${'0'.repeat(24)}`;

async function newBackend(): Promise<Parley> {
  const scopes = [
    'streams:read',
    'streams:write',
    'calls:read',
    'recordings:read',
    'tokens:create',
    'webhooks:write',
  ] as const;
  const { secret } = await newKey(urlOf(0), await newCustomer(urlOf(0)), { scopes });
  return new Parley({ auth: { apiKey: secret }, baseUrl: urlOf(0) });
}

beforeAll(async () => {
  cluster = await twoNodes({
    ...roomySettings,
    CALL_GRACE_SECONDS: '10',
    STREAM_RECONNECT_SECONDS: '15',
    WEBHOOK_ALLOW_LOOPBACK: 'true',
  });
  database = new pg.Client({ connectionString: cluster.postgres.url });
  await database.connect();
  [backend, other] = [await newBackend(), await newBackend()];
  // Nobody listens there: the test reads the events from the feed.
  await backend.webhooks.create({ url: 'http://127.0.0.1:9' });
});

afterAll(async () => {
  for (const guest of guests) guest.close();
  closeSockets();
  await database?.end();
  await cluster?.close();
});

/** A guest with a new participant token, as a device of the second node. */
async function guestOf(streamId: string, token: Partial<NewStreamToken> = {}) {
  const created = await backend.streams.createToken(streamId, { identity: randomUUID(), ...token });
  return { ...created, client: deviceOf(created.token) };
}

function deviceOf(participantToken: string): Parley {
  const client = new Parley({ participantToken, baseUrl: urlOf(1) });
  guests.push(client);
  return client;
}

const next = <Name extends keyof ParleyEvents>(client: Parley, name: Name) =>
  new Promise<ParleyEvents[Name]>((resolve) => {
    const stop = client.on(name, (payload) => {
      stop();
      resolve(payload);
    });
  });

/** The events of a stream, by the account's feed. */
async function eventsOf(streamId: string): Promise<string[]> {
  const { data } = await backend.webhooks.events();
  return data.filter(({ subjectId }) => subjectId === streamId).map(({ type }) => type);
}

describe('streams of a backend', () => {
  it('are made, changed, listed, given a new key and ended', async () => {
    const stream = await backend.streams.create({ title: 'One', isPublic: false });
    expect(stream).toMatchObject({ title: 'One', status: 'idle', isPublic: false, viewerCount: 0 });
    expect(stream.streamKey).toMatch(/^sk_/);
    const { streamKey: _key, ...withoutKey } = stream;
    expect(await backend.streams.get(stream.id)).toEqual(withoutKey);
    expect(await backend.streams.update(stream.id, { title: 'Two' })).toEqual({
      ...withoutKey,
      title: 'Two',
    });
    const reset = await backend.streams.resetKey(stream.id);
    expect(reset.streamKey).toMatch(/^sk_/);
    expect(reset.streamKey).not.toBe(stream.streamKey);
    const second = await backend.streams.create({ title: 'Newer' });
    const page = await backend.streams.list({ limit: 1, status: 'idle' });
    expect(page).toMatchObject({ data: [{ id: second.id }], hasMore: true });
    const rest = await backend.streams.list({ limit: 1, status: 'idle', cursor: page.nextCursor ?? '' });
    expect(rest).toMatchObject({ data: [{ id: stream.id }], hasMore: false, nextCursor: null });
    for (let round = 0; round < 2; round++)
      expect(await backend.streams.end(stream.id)).toMatchObject({ status: 'ended', endReason: 'ended' });
    expect(await refused(backend.streams.update(stream.id, { title: 'x' }))).toEqual([
      'CONFLICT',
      'stream_ended',
    ]);
    expect(await eventsOf(stream.id)).toEqual(['stream.ended']);
    await backend.streams.end(second.id);
  });

  it('do not exist for other accounts', async () => {
    const { id } = await backend.streams.create({ title: 'Mine' });
    const { id: tokenId } = await backend.streams.createToken(id, { identity: 'a' });
    for (const streamId of [id, nobody])
      for (const request of [
        () => other.streams.get(streamId),
        () => other.streams.update(streamId, { title: 'x' }),
        () => other.streams.end(streamId),
        () => other.streams.resetKey(streamId),
        () => other.streams.viewers(streamId),
        () => other.streams.ban(streamId, { identity: 'a' }),
        () => other.streams.unban(streamId, { identity: 'a' }),
        () => other.streams.createViewerToken(streamId),
        () => other.streams.createToken(streamId, { identity: 'a' }),
        () => other.streams.tokens(streamId),
        () => other.streams.revokeToken(streamId, tokenId),
      ])
        expect(await refused(request())).toEqual(['NOT_FOUND', 'not_found']);
    expect((await other.streams.list()).data).toEqual([]);
    expect((await backend.streams.tokens(id)).data).toMatchObject([{ id: tokenId, revokedAt: null }]);
    await backend.streams.end(id);
  });

  it('admit wallets with a viewer token of their own only', async () => {
    const [alice, bob] = [await cluster.client(), await cluster.client()];
    const { id } = await backend.streams.create({ title: 'Private', isPublic: false });
    const { token } = await backend.streams.createViewerToken(id, { walletAddress: alice.address });
    expect(await refused(bob.parley.streaming.watch(id, { token }))).toEqual([
      'ACCESS_DENIED',
      'token_needed',
    ]);
    await alice.parley.streaming.watch(id, { token });
    const shared = await backend.streams.createViewerToken(id);
    await bob.parley.streaming.watch(id, { token: shared.token });
    const { data } = await backend.streams.viewers(id);
    expect(data).toMatchObject([
      { identity: bob.address, walletAddress: bob.address, isGuest: false },
      { identity: alice.address },
    ]);
    await backend.streams.ban(id, { walletAddress: bob.address });
    expect(await bob.event('stream:removed')).toEqual({ streamId: id, reason: 'banned' });
    await backend.streams.unban(id, { walletAddress: bob.address });
    await bob.parley.streaming.watch(id, { token: shared.token });
    await backend.streams.end(id);
    expect(await bob.event('stream:ended')).toMatchObject({ id });
  });

  it('that become private admit no wallet by the token that it got while they were public', async () => {
    const [alice, bob] = [await cluster.client(), await cluster.client()];
    const { id } = await backend.streams.create({ title: 'Public at first' });
    const own = await alice.parley.streaming.getViewerToken(id);
    const given = await backend.streams.createViewerToken(id, { walletAddress: bob.address });
    const headers = { Authorization: `Bearer ${own.token}` };
    const play = () => fetch(`${urlOf(0)}/hls/${id}/index.m3u8`, { headers });
    // The token is accepted, but nothing is sent yet.
    expect((await play()).status).toBe(404);
    await backend.streams.update(id, { isPublic: false });
    expect(await refused(alice.parley.streaming.watch(id, { token: own.token }))).toEqual([
      'ACCESS_DENIED',
      'token_needed',
    ]);
    expect((await play()).status).toBe(401);
    await bob.parley.streaming.watch(id, { token: given.token });
    await backend.streams.end(id);
  });
});

describe('guests of a stream', () => {
  it('watch a private stream, chat if they may, and leave at once when the token is revoked on another node', async () => {
    const { id } = await backend.streams.create({ title: 'Private', isPublic: false });
    const elsewhere = await backend.streams.create({ title: 'Another' });
    const ada = await guestOf(id, { displayName: 'Ada' });
    const mute = await guestOf(id, { canChat: false });
    expect(await ada.client.streaming.watch(id)).toMatchObject({ id, streamKey: '' });
    await mute.client.streaming.watch(id);
    const { sender } = await ada.client.streaming.sendChat(id, 'hello');
    expect(sender).toEqual({ walletAddress: `guest:${ada.identity}`, isGuest: true, displayName: 'Ada' });
    expect(await refused(mute.client.streaming.sendChat(id, 'x'))).toEqual(['ACCESS_DENIED', 'not_granted']);
    for (const request of [
      () => ada.client.streaming.watch(elsewhere.id),
      () => ada.client.streaming.get(elsewhere.id),
      () => ada.client.streaming.getChat(elsewhere.id),
    ])
      expect(await refused(request())).toEqual(['ACCESS_DENIED', 'other_room']);
    for (const request of [
      () => ada.client.streaming.end(id),
      () => ada.client.streaming.getViewers(id),
      () => ada.client.streaming.ban(id, `guest:${mute.identity}`),
    ])
      expect(await refused(request())).toEqual(['ACCESS_DENIED', 'not_the_host']);
    expect(await refused(ada.client.streaming.resetKey(id))).toEqual(['ACCESS_DENIED', 'guest']);
    expect((await backend.streams.viewers(id)).data).toMatchObject([
      { identity: mute.identity, walletAddress: null, isGuest: true, via: 'sdk' },
      { identity: ada.identity, displayName: 'Ada' },
    ]);
    const removed = next(ada.client, 'stream:removed');
    expect(await backend.streams.revokeToken(id, ada.id)).toMatchObject({ id: ada.id });
    expect(await removed).toEqual({ streamId: id, reason: 'revoked' });
    await until(() => ada.client.state === 'closed', 'the connection of the guest is closed');
    expect((await backend.streams.viewers(id)).data).toHaveLength(1);
    expect(await refused(deviceOf(ada.token).streaming.watch(id))).toEqual([
      'AUTHENTICATION_REQUIRED',
      'token_revoked',
    ]);
    await backend.streams.ban(id, { identity: mute.identity });
    expect(await refused(mute.client.streaming.watch(id))).toEqual(['ACCESS_DENIED', 'banned']);
    await backend.streams.end(id);
    await backend.streams.end(elsewhere.id);
  });

  it('use a token on one device: the later one takes the place', async () => {
    const { id } = await backend.streams.create({ title: 'For one' });
    const { client: first, token } = await guestOf(id);
    await first.streaming.watch(id);
    const removed = next(first, 'stream:removed');
    const later = deviceOf(token);
    await later.streaming.watch(id);
    expect(await removed).toEqual({ streamId: id, reason: 'replaced' });
    expect((await backend.streams.viewers(id)).data).toHaveLength(1);
    // Many at once: one of them stays.
    await Promise.all([1, 2, 3, 4].map(() => deviceOf(token).streaming.watch(id)));
    expect(
      (await database.query('SELECT id FROM stream_watchings WHERE stream_id = $1', [id])).rowCount,
    ).toBe(1);
    await backend.streams.end(id);
  });

  it('enter only until the token expires, but may stay', async () => {
    const { id } = await backend.streams.create({ title: 'Brief' });
    const { id: tokenId, client } = await guestOf(id);
    await client.streaming.watch(id);
    await database.query(
      "UPDATE participant_tokens SET expires_at = now() - interval '1 second' WHERE id = $1",
      [tokenId],
    );
    await client.streaming.sendChat(id, 'still here');
    await client.streaming.unwatch(id);
    expect(await refused(client.streaming.watch(id))).toEqual(['AUTHENTICATION_REQUIRED', 'token_expired']);
    await backend.streams.end(id);
  });

  it('never pass a gate', async () => {
    const { id } = await backend.streams.create({ title: 'Gated' });
    const gate = { type: 'token', chainId: 1, contractAddress: null, minBalance: '1' };
    await database.query('UPDATE streams SET gate = $2 WHERE id = $1', [id, gate]);
    const { client } = await guestOf(id);
    expect(await refused(client.streaming.watch(id))).toEqual(['ACCESS_DENIED', 'guest']);
    expect(await refused(backend.streams.createViewerToken(id))).toEqual([
      'VALIDATION_ERROR',
      'validation_failed',
    ]);
    await backend.streams.end(id);
  });

  it('publish as hosts, are told apart in events, and are cut off at once when revoked or banned', async () => {
    const { id } = await backend.streams.create({ title: 'Live' });
    const wallet: TestClient = await cluster.client();
    await wallet.parley.streaming.watch(id);
    const viewer = await guestOf(id);
    const asViewer = await RawStreamClient.create(urlOf(1), viewer.token, id);
    await expect(asViewer.ask('streaming.start', { streamId: id })).rejects.toMatchObject({
      reason: 'not_the_host',
    });
    const host = await guestOf(id, { role: 'host' });
    const device = await RawStreamClient.publish(urlOf(1), host.token, id);
    await wallet.event('stream:updated', ({ isSending }) => isSending);
    expect(await backend.streams.get(id)).toMatchObject({ status: 'live', isSending: true });
    expect(await device.ask('streaming.getViewers', { streamId: id })).toMatchObject([
      { walletAddress: wallet.address },
    ]);
    await backend.streams.revokeToken(id, host.id);
    await until(() => device.received('stream:replaced').length > 0, 'the guest no longer publishes');
    await wallet.event('stream:updated', ({ status, isSending }) => status === 'live' && !isSending);
    const second = await guestOf(id, { role: 'host' });
    const again = await RawStreamClient.publish(urlOf(1), second.token, id);
    await until(async () => (await backend.streams.get(id)).isSending, 'another host publishes');
    await backend.streams.ban(id, { identity: second.identity });
    await until(() => again.received('stream:replaced').length > 0, 'the banned host no longer publishes');
    await expect(again.ask('streaming.start', { streamId: id })).rejects.toMatchObject({
      reason: 'not_the_host',
    });
    await backend.streams.end(id);
    expect(await eventsOf(id)).toEqual([
      'stream.live',
      'stream.idle',
      'stream.live',
      'stream.idle',
      'stream.ended',
    ]);
    expect((await eventsOf(nobody)).length).toBe(0);
    device.close();
    again.close();
    asViewer.close();
  });
});
