import { expect } from 'vitest';
import type { LiveStream } from '../../sdk/src/index.ts';
import type { Harness } from '../harness/nodes/Harness.ts';
import { RawStreamClient } from '../harness/clients/RawStreamClient.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import { until } from '../harness/until.ts';
import { refused } from './conference.ts';

/**
 * Scenarios for live streams, on one or several nodes. They check states, keys, publishers, viewers and chat. The
 * harness waits 10 s for a disconnected viewer and 15 s for a disconnected or replaced publisher, so that a busy machine can do in time what
 * must happen within that period.
 */
export const streamScenarios: Record<string, (harness: Harness) => Promise<void>> = {
  async 'is idle at first, goes live with the first media, and is ended by its host'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const stream = await alice.parley.streaming.create({ title: 'Friday' });
    expect(stream).toMatchObject({
      title: 'Friday',
      description: '',
      host: alice.address,
      status: 'idle',
      viewerCount: 0,
      isPublic: true,
      gate: null,
      record: false,
      isSending: false,
      startedAt: null,
      endedAt: null,
    });
    expect(stream.streamKey).toMatch(/^sk_\w{32}$/);
    expect(stream.url).toBe(stream.whipUrl);
    expect(stream.playbackUrl.endsWith(`/${stream.id}/index.m3u8`)).toBe(true);
    expect(stream.createdAt).toBeInstanceOf(Date);
    expect(await isOpen(bob, stream)).toBe(false);
    expect((await bob.parley.streaming.watch(stream.id)).streamKey).toBe('');
    const device = await RawStreamClient.publish(harness.url(), alice, stream.id);
    const live = await bob.event('stream:updated', ({ isSending }) => isSending);
    expect(live).toMatchObject({ id: stream.id, status: 'live', streamKey: '' });
    expect(live.startedAt).toBeInstanceOf(Date);
    expect(await isOpen(bob, stream)).toBe(true);
    await expect(bob.parley.streaming.end(stream.id)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await alice.parley.streaming.end(stream.id);
    const ended = await bob.event('stream:ended');
    expect(ended).toMatchObject({ id: stream.id, status: 'ended', endReason: 'ended', isSending: false });
    expect(await isOpen(bob, stream)).toBe(false);
    expect(await refused(bob.parley.streaming.watch(stream.id))).toEqual(['CONFLICT', 'stream_ended']);
    expect(await refused(device.ask('streaming.start', { streamId: stream.id }))).toEqual([
      'CONFLICT',
      'stream_ended',
    ]);
    await expect(alice.parley.streaming.end(stream.id)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await alice.parley.streaming.list()).toEqual([]);
    expect(await alice.parley.streaming.list({ status: 'ended' })).toMatchObject([{ id: stream.id }]);
  },

  async 'accepts media only from the publishing device'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const { id } = await alice.parley.streaming.create({ title: 'x' });
    const nothing = { streamId: id, audio: false, video: false };
    await expect(alice.parley.streaming.start(nothing)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await refused(bob.parley.streaming.start({ streamId: id }))).toEqual([
      'ACCESS_DENIED',
      'not_the_host',
    ]);
    const device = await RawStreamClient.publish(harness.url(), alice, id);
    const [viewer, other] = [
      await RawStreamClient.create(harness.url(), bob, id),
      await RawStreamClient.create(harness.url(), alice, id),
    ];
    await expect(viewer.join()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await viewer.ask('streaming.watch', { streamId: id });
    const joined = await viewer.join();
    expect(joined.participants).toMatchObject([{ walletAddress: alice.address, role: 'host' }]);
    expect(joined.consumers).toHaveLength(2);
    expect(await refused(viewer.produce('microphone'))).toEqual(['ACCESS_DENIED', 'not_the_publisher']);
    // Another device of the host cannot send media either, and sees only the publisher as a participant.
    await other.ask('streaming.watch', { streamId: id });
    expect((await other.join()).participants).toHaveLength(1);
    expect(await refused(other.produce('camera'))).toEqual(['ACCESS_DENIED', 'not_the_publisher']);
    await device.ask('streaming.muteAudio', { streamId: id });
    expect(await refused(viewer.ask('streaming.unmuteAudio', { streamId: id }))).toEqual([
      'ACCESS_DENIED',
      'not_the_publisher',
    ]);
    await alice.parley.streaming.end(id);
  },

  async 'replaces the publisher with the newest one immediately'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const { id } = await alice.parley.streaming.create({ title: 'x' });
    await bob.parley.streaming.watch(id);
    const first = await RawStreamClient.publish(harness.url(), alice, id);
    await bob.event('stream:updated', ({ isSending }) => isSending);
    // Connect before the stream waits for the second publisher, because on a busy machine connecting can take just as long.
    const second = await RawStreamClient.create(harness.url(), alice, id);
    const viewer = await RawStreamClient.create(harness.url(), bob, id);
    await viewer.ask('streaming.watch', { streamId: id });
    await second.ask('streaming.start', { streamId: id });
    await until(() => first.received('stream:replaced').length > 0, 'the first publisher is notified');
    expect(await refused(first.produce('camera'))).not.toEqual(['ok', undefined]);
    // The media of the first publisher ends before the second one sends.
    expect((await viewer.join()).consumers).toEqual([]);
    await second.send();
    await until(() => viewer.received('media:consumer').length === 2, 'the media of the second publisher');
    await until(() => bob.seen('stream:updated').at(-1)?.isSending, 'the second publisher is live');
    // A resuming publisher does not replace a newer one.
    const back = { streamId: id, held: [first.id] };
    expect(await refused(first.ask('streaming.start', back))).toEqual(['CONFLICT', 'replaced']);
    first.close();
    expect(await alice.parley.streaming.get(id)).toMatchObject({ status: 'live', isSending: true });
    await alice.parley.streaming.end(id);
  },

  async 'keeps a stream live when its publisher returns in time'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const { id } = await alice.parley.streaming.create({ title: 'x' });
    await bob.parley.streaming.watch(id);
    const device = await RawStreamClient.publish(harness.url(), alice, id);
    const live = await bob.event('stream:updated', ({ isSending }) => isSending);
    // Connect before the wait starts, because on a busy machine connecting can take just as long.
    const again = await RawStreamClient.create(harness.url(), alice, id);
    device.close();
    await bob.event('stream:updated', ({ isSending, status }) => !isSending && status === 'live');
    await again.ask('streaming.start', { streamId: id, held: [device.id] });
    await again.send();
    await until(() => bob.seen('stream:updated').at(-1)?.isSending, 'the publisher is back');
    await publisherStaysAway(harness);
    expect(await bob.parley.streaming.get(id)).toMatchObject({ status: 'live', startedAt: live.startedAt });
    await alice.parley.streaming.end(id);
    again.close();
  },

  async 'closes the media of a lost publisher whose stream has never been live'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const { id } = await alice.parley.streaming.create({ title: 'x' });
    const viewer = await RawStreamClient.create(harness.url(), bob, id);
    await viewer.ask('streaming.watch', { streamId: id });
    const device = await RawStreamClient.create(harness.url(), alice, id);
    await device.ask('streaming.start', { streamId: id });
    await device.join();
    await device.produce('camera');
    expect((await viewer.join()).consumers).toHaveLength(1);
    device.close();
    await until(() => viewer.received('media:consumer:closed').length > 0, 'the media ends');
    expect((await viewer.join()).participants).toEqual([]);
    expect(await bob.parley.streaming.get(id)).toMatchObject({ status: 'idle' });
    await alice.parley.streaming.end(id);
  },

  async 'has one record of a device that watches twice'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const { id } = await alice.parley.streaming.create({ title: 'x' });
    const viewer = await RawStreamClient.create(harness.url(), bob, id);
    const watch = () => viewer.ask<{ place: string }>('streaming.watch', { streamId: id });
    const [{ place }, ...others] = [...(await Promise.all([watch(), watch()])), await watch()];
    expect(others.map((other) => other.place)).toEqual([place, place]);
    expect(await alice.parley.streaming.getViewers(id)).toHaveLength(1);
    await viewer.ask('streaming.unwatch', { streamId: id, place });
    expect(await alice.parley.streaming.getViewers(id)).toEqual([]);
    await alice.parley.streaming.end(id);
  },

  async 'does not end a stream that has never been live'(harness) {
    const alice = await harness.client();
    const { id } = await alice.parley.streaming.create({ title: 'x' });
    const device = await RawStreamClient.create(harness.url(), alice, id);
    await device.ask('streaming.start', { streamId: id });
    device.close();
    await publisherStaysAway(harness);
    expect(await alice.parley.streaming.get(id)).toMatchObject({ status: 'idle' });
    await alice.parley.streaming.end(id);
  },

  async 'counts a viewer with several devices once'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const phone = await harness.client(bob.account);
    const { id } = await alice.parley.streaming.create({ title: 'x' });
    await bob.parley.streaming.watch(id, { displayName: 'Bob' });
    expect(await alice.event('stream:viewer:joined')).toMatchObject({
      streamId: id,
      viewer: { walletAddress: bob.address, displayName: 'Bob', via: 'sdk' },
    });
    await phone.parley.streaming.watch(id);
    await carol.parley.streaming.watch(id);
    await bob.event('stream:viewer:count', ({ count }) => count === 2);
    await alice.event('stream:viewer:count', ({ count }) => count === 2);
    const viewers = await alice.parley.streaming.getViewers(id);
    expect(viewers.map(({ walletAddress }) => walletAddress)).toEqual([bob.address, carol.address]);
    await expect(bob.parley.streaming.getViewers(id)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await bob.parley.streaming.unwatch(id);
    await carol.parley.streaming.unwatch(id);
    await alice.event('stream:viewer:left', ({ viewer }) => viewer.walletAddress === carol.address);
    await phone.event('stream:viewer:count', ({ count }) => count === 1);
    await phone.parley.streaming.unwatch(id);
    await alice.event('stream:viewer:left', ({ viewer }) => viewer.walletAddress === bob.address);
    await alice.event('stream:viewer:count', ({ count }) => count === 0);
    expect(alice.seen('stream:viewer:joined')).toHaveLength(2);
    expect(alice.seen('stream:viewer:left')).toHaveLength(2);
    // Other viewers get the count, but not the names.
    expect(carol.seen('stream:viewer:joined')).toEqual([]);
    await alice.parley.streaming.end(id);
  },

  async 'announces many simultaneous viewers by their count only'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const { id } = await alice.parley.streaming.create({ title: 'x' });
    await bob.parley.streaming.watch(id);
    const viewers = await Promise.all(Array.from({ length: 40 }, () => harness.client()));
    const startedAt = performance.now();
    await Promise.all(viewers.map((one) => one.parley.streaming.watch(id)));
    for (const client of [alice, bob]) await client.event('stream:viewer:count', ({ count }) => count === 41);
    const seconds = Math.ceil((performance.now() - startedAt) / 1_000) + 1;
    expect(bob.seen('stream:viewer:count').length).toBeLessThanOrEqual(seconds + 1);
    expect(bob.seen('stream:viewer:joined')).toEqual([]);
    for (const one of viewers) one.close();
    await until(() => alice.seen('stream:viewer:count').at(-1)?.count === 1, 'the viewers have left');
    await alice.parley.streaming.end(id);
  },

  async 'removes a disconnected viewer after the grace period and keeps one that returns in time'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const { id } = await alice.parley.streaming.create({ title: 'x' });
    for (const client of [bob, carol]) await client.parley.streaming.watch(id);
    await alice.event('stream:viewer:count', ({ count }) => count === 2);
    // Sign in before the grace period starts, because on a busy machine a sign-in can take just as long.
    const reloaded = await harness.client(carol.account);
    carol.close();
    // The server has usually noticed the disconnect by now; there is no event for it.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await reloaded.parley.streaming.watch(id);
    // Bob's grace period starts and ends after Carol's.
    bob.close();
    await alice.event('stream:viewer:left', ({ viewer }) => viewer.walletAddress === bob.address);
    await until(() => alice.seen('stream:viewer:count').at(-1)?.count === 1, 'Bob is not counted');
    expect(alice.seen('stream:viewer:left')).toHaveLength(1);
    expect(alice.seen('stream:viewer:joined')).toHaveLength(2);
    await alice.parley.streaming.end(id);
  },

  async 'delivers chat messages to all viewers and lets sender and host delete them'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const { id } = await alice.parley.streaming.create({ title: 'x' });
    await bob.parley.streaming.watch(id, { displayName: 'Bob' });
    await carol.parley.streaming.watch(id);
    const sent = await bob.parley.streaming.sendChat(id, 'Hello');
    expect(sent).toMatchObject({
      message: { streamId: id, from: bob.address, to: id, content: 'Hello', type: 'text', status: 'sent' },
      sender: { walletAddress: bob.address, displayName: 'Bob' },
    });
    expect(await alice.event('stream:chat:message')).toEqual(sent);
    expect(await carol.event('stream:chat:message')).toEqual(sent);
    const own = await alice.parley.streaming.sendChat(id, 'Welcome');
    await bob.event('stream:chat:message', ({ message }) => message.id === own.message.id);
    expect(await refused(carol.parley.streaming.deleteChat(id, sent.message.id))).toEqual([
      'ACCESS_DENIED',
      'not_yours',
    ]);
    await alice.parley.streaming.deleteChat(id, sent.message.id);
    expect(await carol.event('stream:chat:deleted')).toEqual({ streamId: id, messageId: sent.message.id });
    expect(await chatOf(bob, id)).toEqual(['Welcome']);
    const late = await harness.client();
    const notWatching = ['ACCESS_DENIED', 'not_watching'];
    expect(await refused(late.parley.streaming.sendChat(id, 'x'))).toEqual(notWatching);
    expect(await refused(late.parley.streaming.getChat(id))).toEqual(notWatching);
    await expect(late.parley.streaming.sendChat(`str_${'0'.repeat(24)}`, 'x')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await late.parley.streaming.watch(id);
    expect(await chatOf(late, id)).toEqual(['Welcome']);
    await alice.parley.streaming.end(id);
    await expect(bob.parley.streaming.sendChat(id, 'x')).rejects.toMatchObject({ code: 'CONFLICT' });
  },

  async 'lists the chat before a message that was deleted'(harness) {
    const host = await harness.client();
    const { id } = await host.parley.streaming.create({ title: 'x' });
    const ids: string[] = [];
    for (const content of ['one', 'two', 'three'])
      ids.push((await host.parley.streaming.sendChat(id, content)).message.id);
    const [, second, third] = ids as [string, string, string];
    await host.parley.streaming.deleteChat(id, second);
    await host.parley.streaming.deleteChat(id, third);
    for (const before of [second, third]) {
      const page = await host.parley.streaming.getChat(id, { before });
      expect(page.map(({ message }) => message.content)).toEqual(['one']);
    }
    await host.parley.streaming.end(id);
  },

  async 'removes all devices of a banned viewer from the stream and its chat'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const phone = await harness.client(bob.account);
    const { id } = await alice.parley.streaming.create({ title: 'x' });
    const device = await RawStreamClient.publish(harness.url(), alice, id);
    for (const client of [bob, phone]) await client.parley.streaming.watch(id);
    await alice.event('stream:viewer:count', ({ count }) => count === 1);
    await expect(bob.parley.streaming.ban(id, alice.address)).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
    });
    await alice.parley.streaming.ban(id, bob.address.toLowerCase());
    for (const client of [bob, phone])
      expect(await client.event('stream:removed')).toEqual({ streamId: id, reason: 'banned' });
    await alice.event('stream:viewer:count', ({ count }) => count === 0);
    expect(await refused(bob.parley.streaming.watch(id))).toEqual(['ACCESS_DENIED', 'banned']);
    expect(await refused(bob.parley.streaming.sendChat(id, 'x'))).toEqual(['ACCESS_DENIED', 'banned']);
    expect(await refused(bob.parley.streaming.getViewerToken(id))).toEqual(['ACCESS_DENIED', 'banned']);
    await alice.parley.streaming.sendChat(id, 'Quiet now');
    await alice.parley.streaming.ban(id, bob.address, false);
    await bob.parley.streaming.watch(id);
    expect(bob.seen('stream:chat:message')).toEqual([]);
    await expect(alice.parley.streaming.ban(id, alice.address)).rejects.toMatchObject({ code: 'CONFLICT' });
    device.close();
    await alice.parley.streaming.end(id);
  },

  async 'admits viewers to a private stream with a viewer token'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const { id } = await alice.parley.streaming.create({ title: 'x', isPublic: false });
    const other = await alice.parley.streaming.create({ title: 'y', isPublic: false });
    const device = await RawStreamClient.publish(harness.url(), alice, id);
    expect(await isOpen(bob, { id })).toBe(false);
    expect(await bob.parley.streaming.list({ host: alice.address })).toEqual([]);
    expect(await refused(bob.parley.streaming.watch(id))).toEqual(['ACCESS_DENIED', 'token_needed']);
    expect(await refused(bob.parley.streaming.getViewerToken(id))).toEqual(['ACCESS_DENIED', 'token_needed']);
    const { token, expiresAt } = await alice.parley.streaming.getViewerToken(id);
    expect(expiresAt.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    const otherToken = (await alice.parley.streaming.getViewerToken(other.id)).token;
    for (const wrong of [otherToken, `${token}x`, 'nonsense'])
      expect(await refused(bob.parley.streaming.watch(id, { token: wrong }))).toEqual([
        'ACCESS_DENIED',
        'token_needed',
      ]);
    await bob.parley.streaming.watch(id, { token });
    // A new key revokes the viewer tokens, but does not remove current viewers.
    const { streamKey } = await alice.parley.streaming.get(id);
    const reset = await alice.parley.streaming.resetKey(id);
    expect(reset.streamKey).toMatch(/^sk_/);
    expect(reset.streamKey).not.toBe(streamKey);
    await expect(bob.parley.streaming.resetKey(id)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    const carol = await harness.client();
    expect(await refused(carol.parley.streaming.watch(id, { token }))).toEqual([
      'ACCESS_DENIED',
      'token_needed',
    ]);
    expect(await alice.parley.streaming.getViewers(id)).toHaveLength(1);
    // A publishing device continues, because it does not use the key.
    expect(device.received('stream:replaced')).toEqual([]);
    await alice.parley.streaming.end(id);
  },

  async 'ignores an attempt to take the place of another viewer, who stays unaffected'(harness) {
    const [alice, bob, mallory] = [await harness.client(), await harness.client(), await harness.client()];
    const { id } = await alice.parley.streaming.create({ title: 'x' });
    const devices = [bob, mallory].map((client) => RawStreamClient.create(harness.url(), client, id));
    const [victim, attacker] = (await Promise.all(devices)) as [RawStreamClient, RawStreamClient];
    type Watched = { viewer: { displayName: string | null }; place: string };
    const named = { streamId: id, displayName: 'Bob' };
    const { place } = await victim.ask<Watched>('streaming.watch', named);
    const result = await attacker.ask<Watched>('streaming.watch', { streamId: id, place });
    expect(result.place).not.toBe(place);
    expect(result.viewer.displayName).toBeNull();
    // The victim's own place still restores the name.
    const again = await victim.ask<Watched>('streaming.watch', { streamId: id, place });
    expect(again).toMatchObject({ place, viewer: { displayName: 'Bob' } });
    await attacker.ask('streaming.watch', { streamId: id, place });
    await alice.parley.streaming.sendChat(id, 'for everybody');
    await until(() => victim.received('stream:chat:message').length > 0, 'the victim gets the chat message');
    await alice.parley.streaming.end(id);
  },
};

/** Resolves when a stream that goes live now, and then loses its publisher, has ended: longer than streams wait for their publishers. */
export async function publisherStaysAway(harness: Harness): Promise<void> {
  const [host, viewer] = [await harness.client(), await harness.client()];
  const { id } = await host.parley.streaming.create({ title: 'without a publisher' });
  await viewer.parley.streaming.watch(id);
  const device = await RawStreamClient.publish(harness.url(), host, id);
  await viewer.event('stream:updated', ({ isSending }) => isSending);
  device.close();
  expect(await viewer.event('stream:ended')).toMatchObject({ endReason: 'gone', status: 'ended' });
}

const chatOf = async (client: TestClient, id: string) =>
  (await client.parley.streaming.getChat(id)).map(({ message }) => message.content);

/** Whether the stream is listed among the public live streams. */
async function isOpen(client: TestClient, { id }: Pick<LiveStream, 'id'>): Promise<boolean> {
  const open = await client.parley.streaming.list({ host: null, limit: 100 });
  return open.some((stream) => stream.id === id);
}
