import { expect } from 'vitest';
import type { KeyScope } from '../../sdk/protocol/http.ts';
import type { Participant } from '../../sdk/src/types.ts';
import { RawGuest } from '../harness/clients/RawGuest.ts';
import type { RecordingClient } from '../harness/clients/RecordingClient.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import type { TestGuest, Token, WantedToken } from '../harness/clients/TestGuest.ts';
import { LoadBalancer } from '../harness/nodes/LoadBalancer.ts';
import type { Harness } from '../harness/nodes/Harness.ts';
import { until } from '../harness/until.ts';
import { api, newKey } from '../integration/money/accountSupport.ts';
import { bearer, connected, send, signIn } from '../integration/support.ts';
import { split } from './breakouts.ts';
import { created, idIn, refused } from './conference.ts';

/** Scenarios for guests in rooms, on one or several nodes. Each has its own room, in which the guest is `alice`. */
export const guestScenarios: Record<string, (harness: Harness) => Promise<void>> = {
  async 'joins without a wallet and an account, and is marked as a guest for everybody'(harness) {
    const { host, room } = await hosted(harness);
    const about = { displayName: 'Alice', metadata: '{"seat":7}', canChat: true };
    const guest = await guestIn(harness, room, about, { isJoined: false });
    const says = { identity: 'alice', subjectId: room, displayName: 'Alice', role: 'participant' };
    expect(await guest.parley.guest()).toMatchObject({ ...says, metadata: '{"seat":7}' });
    expect(guest.parley.session).toBeNull();
    // The name in the token counts, not the one that the guest would like to have.
    await guest.parley.conference.join({ roomId: room, displayName: 'The host' });
    const shown = {
      walletAddress: 'guest:alice',
      isGuest: true,
      displayName: 'Alice',
      metadata: '{"seat":7}',
    };
    expect(await host.event('conference:participant:joined')).toMatchObject(shown);
    for (const client of [host, guest]) {
      expect(find(client, room, 'guest:alice')).toMatchObject(shown);
      expect(find(client, room, host.address)).not.toHaveProperty('isGuest');
      const { participants } = await client.parley.conference.get(room);
      expect(participants.map(({ isGuest }) => isGuest)).toEqual([undefined, true]);
    }
    await guest.parley.conference.sendChat(room, 'Hello');
    const { sender, message } = await host.event('conference:chat:message');
    expect(sender).toEqual({ walletAddress: 'guest:alice', isGuest: true, displayName: 'Alice' });
    expect(message).toMatchObject({ from: 'guest:alice', content: 'Hello' });
    expect((await host.parley.conference.getChat(room))[0]?.sender.isGuest).toBe(true);
    await guest.parley.conference.raiseHand(room);
    expect(await host.event('conference:participant:updated')).toMatchObject({ ...shown, handRaised: true });
    await guest.parley.conference.leave(room);
    expect(await host.event('conference:participant:left')).toMatchObject(shown);
  },

  async 'enters only the room of its token'(harness) {
    const { host, room } = await hosted(harness);
    const other = await created(host);
    const guest = await guestIn(harness, room);
    const { conference } = guest.parley;
    expect(await refused(conference.join(other))).toEqual(['ACCESS_DENIED', 'other_room']);
    expect(await refused(conference.get(other))).toEqual(['ACCESS_DENIED', 'other_room']);
    expect((await host.parley.conference.get(other)).participants).toEqual([]);
    await idOf(host, room, guest);
  },

  async 'never passes a gate, even as a host'(harness) {
    const { room } = await hosted(harness);
    const gate = { type: 'token', chainId: 1, contractAddress: `0x${'1'.repeat(40)}`, minBalance: '1' };
    await harness.query('UPDATE rooms SET gate = $2 WHERE id = $1', [room, JSON.stringify(gate)]);
    const guest = await guestIn(harness, room, { role: 'host' }, { isJoined: false });
    expect(await refused(guest.parley.conference.join(room))).toEqual(['ACCESS_DENIED', 'guest']);
  },

  async 'is held up neither by a lock nor by a waiting room'(harness) {
    const { host, room } = await hosted(harness, { locked: true, waitingRoom: true });
    const guest = await guestIn(harness, room);
    await idOf(host, room, guest);
    expect(guest.seen('conference:waiting')).toEqual([]);
  },

  async 'stays out after a removal, until it has a newer token'(harness) {
    const { host, room } = await hosted(harness);
    const guest = await guestIn(harness, room, { role: 'host' });
    await host.parley.conference.kick(room, await idOf(host, room, guest));
    expect(await guest.event('conference:removed')).toMatchObject({ reason: 'kicked' });
    expect(await refused(guest.parley.conference.join(room))).toEqual(['ACCESS_DENIED', 'removed']);
    const again = harness.guest(guest.token);
    expect(await refused(again.parley.conference.join(room))).toEqual(['ACCESS_DENIED', 'removed']);
    const forgiven = await guestIn(harness, room, { role: 'viewer' });
    await until(() => find(host, room, forgiven.address)?.role === 'viewer', 'it is back as a viewer');
    // The token from before the removal would make it a host again.
    expect(await refused(again.parley.conference.join(room))).toEqual(revoked);
    await until(() => find(host, room, forgiven.address)?.role === 'viewer', 'it is back as a viewer');
  },

  async 'stays out of the whole family of a room after a removal from a breakout, until it has a newer token'(
    harness,
  ) {
    const { host, room } = await hosted(harness);
    const guest = await guestIn(harness, room);
    const [breakout] = await split(host, room, [await idOf(host, room, guest)]);
    await guest.event('conference:moved');
    const former = await guestIn(harness, room, {}, { isJoined: false });
    await host.parley.conference.kick(breakout.id, await idIn(host, breakout.id, guest));
    await guest.event('conference:removed');
    expect(await refused(former.parley.conference.join(room))).toEqual(['ACCESS_DENIED', 'removed']);
    await guestIn(harness, room);
  },

  async 'publishes only the sources that its token allows'(harness) {
    const { host, room } = await hosted(harness);
    const sources = ['microphone', 'camera', 'screen', 'screen-audio'] as const;
    const granted = { microphone: ['microphone'], camera: ['camera'], screen: ['screen', 'screen-audio'] };
    for (const [grant, allowed] of Object.entries(granted)) {
      const canPublish = [grant] as WantedToken['canPublish'];
      const token = await harness.token(room, { identity: 'alice', canPublish });
      const guest = await RawGuest.join(harness.url(), token);
      for (const source of sources)
        expect([source, await guest.produce(source)]).toEqual([
          source,
          allowed.includes(source) ? 'ok' : 'not_granted',
        ]);
      for (const [request, source] of [
        ['unmuteAudio', 'microphone'],
        ['unmuteVideo', 'camera'],
        ['startScreenShare', 'screen'],
      ] as const)
        expect(await guest.ask(request)).toBe(source === grant ? 'ok' : 'not_granted');
      guest.close();
    }
    const viewer = await RawGuest.join(
      harness.url(),
      await harness.token(room, { identity: 'alice', role: 'viewer' }),
    );
    expect(await viewer.produce('microphone')).toBe('not_granted');
    // A role that a host gives it does not widen what the token allows.
    await host.parley.conference.setRole(room, await idOf(host, room, 'guest:alice'), 'host');
    expect(await viewer.produce('microphone')).toBe('not_granted');
    viewer.close();
  },

  async 'keeps the role that a host has given it, also when it comes back'(harness) {
    const { host, room } = await hosted(harness);
    const guest = await guestIn(harness, room, { role: 'host' });
    await host.parley.conference.setRole(room, await idOf(host, room, guest), 'viewer');
    expect(await refused(guest.parley.conference.lock(room))).toEqual(['ACCESS_DENIED', 'not_a_host']);
    await guest.parley.conference.leave(room);
    await guest.parley.conference.join(room);
    expect(find(guest, room, guest.address)).toMatchObject({ role: 'viewer' });
    expect(await refused(guest.parley.conference.unmuteAudio(room))).toEqual(['ACCESS_DENIED', 'viewer']);
  },

  async 'gets no media without canSubscribe'(harness) {
    const { room } = await hosted(harness);
    const raw = async (identity: string, more: object = {}) =>
      RawGuest.join(harness.url(), await harness.token(room, { identity, role: 'host', ...more }));
    const bob = await raw('bob');
    expect(await bob.produce('microphone')).toBe('ok');
    const alice = await raw('alice', { canSubscribe: false });
    const carol = await raw('carol');
    expect([alice.consumers, carol.consumers]).toEqual([[], ['microphone']]);
    // Nor media that is published later, after its role has changed, or after it has resumed its media.
    expect(await bob.ask('setRole', { participantId: alice.participantId, role: 'participant' })).toBe('ok');
    expect(await bob.produce('camera')).toBe('ok');
    expect(await alice.resume()).toEqual([]);
    expect(await bob.produce('screen')).toBe('ok');
    await until(() => carol.consumers.length === 3, 'the others receive three sources');
    expect(await alice.rejoinMedia()).toEqual([]);
    expect(alice.consumers).toEqual([]);
    expect(await alice.produce('microphone')).toBe('ok');
    await until(() => bob.consumers.includes('microphone'), 'it is heard by the others');
    for (const guest of [alice, bob, carol]) guest.close();
  },

  async 'writes in the chat only with canChat'(harness) {
    const { host, room } = await hosted(harness, { allowChat: false });
    const guest = await guestIn(harness, room, { role: 'host', canChat: false });
    const bob = await guestIn(harness, room, { identity: 'bob', role: 'host' });
    expect(await refused(guest.parley.conference.sendChat(room, 'x'))).toEqual([
      'ACCESS_DENIED',
      'not_granted',
    ]);
    await bob.parley.conference.sendChat(room, 'Hello');
    await guest.event('conference:chat:message');
    expect((await guest.parley.conference.getChat(room)).map(({ message }) => message.content)).toEqual([
      'Hello',
    ]);
    await host.event('conference:chat:message', ({ message }) => message.content === 'Hello');
    expect(host.seen('conference:chat:message')).toHaveLength(1);
  },

  async 'manages the room as a host, but invites nobody and creates nothing'(harness) {
    const { host, room } = await hosted(harness, { waitingRoom: true });
    const guest = await guestIn(harness, room, { role: 'host' });
    const bob = await guestIn(harness, room, { identity: 'bob' });
    const carol = await harness.client();
    const { conference } = guest.parley;
    const joining = carol.parley.conference.join(room);
    const { walletAddress } = await guest.event('conference:waiting:joined');
    expect(walletAddress).toBe(carol.address);
    expect(await conference.getWaiting(room)).toMatchObject([{ walletAddress }]);
    await conference.admit(room, walletAddress);
    await joining;
    await guest.event('conference:waiting:left');
    expect(bob.seen('conference:waiting:joined')).toEqual([]);
    expect(await conference.lock(room)).toMatchObject({ settings: { locked: true } });
    await conference.muteParticipant(room, await idOf(guest, room, bob));
    await bob.event('conference:muted');
    expect(await conference.setRole(room, await idOf(guest, room, bob), 'viewer')).toMatchObject({
      role: 'viewer',
    });
    await conference.kick(room, await idOf(guest, room, bob));
    expect(await bob.event('conference:removed')).toMatchObject({ reason: 'kicked' });
    expect((await refused(conference.kick(room, await idOf(guest, room, host))))[0]).toBe('CONFLICT');
    for (const run of [
      () => conference.invite(room, [carol.address]),
      () => conference.create({ name: 'x', maxParticipants: 2 }),
      () => conference.list(),
    ])
      expect(await refused(run())).toEqual(['ACCESS_DENIED', 'guest']);
    await conference.end(room);
    expect(await carol.event('conference:ended')).toMatchObject({ id: room });
  },

  async 'moves to the device that joins last'(harness) {
    const { host, room } = await hosted(harness);
    const first = await guestIn(harness, room);
    const id = await idOf(host, room, first);
    const second = harness.guest(first.token);
    await second.parley.conference.join(room);
    await first.event('media:replaced', (replaced) => replaced.id === room);
    // Another token with the same identity is the same guest.
    const third = await guestIn(harness, room, { metadata: 'new', role: 'viewer' });
    await second.event('media:replaced', (replaced) => replaced.id === room);
    expect(await idOf(third, room, third)).toBe(id);
    expect(find(third, room, third.address)).toMatchObject({ metadata: 'new', role: 'viewer' });
    expect(await host.event('conference:participant:updated', ({ role }) => role === 'viewer')).toMatchObject(
      { id, metadata: 'new' },
    );
    expect((await refused(second.parley.conference.sendChat(room, 'x')))[0]).toBe('NOT_FOUND');
    await third.parley.conference.sendChat(room, 'Here now');
    await host.event('conference:chat:message');
    expect(host.seen('conference:participant:left')).toEqual([]);
    expect(host.seen('conference:participant:joined')).toHaveLength(1);
    expect(first.seen('conference:chat:message')).toEqual([]);
  },

  async 'does not enter with an expired token, but stays and comes back with it'(harness) {
    const { host, room } = await hosted(harness);
    const network = await LoadBalancer.create([Number(new URL(harness.url()).port)]);
    const guest = await guestIn(harness, room, {}, { url: network.url });
    const bob = await guestIn(harness, room, { identity: 'bob' }, { isJoined: false });
    await bob.parley.guest();
    await expire(harness, guest.token, bob.token);
    // Bob's connection was open before.
    expect(await refused(bob.parley.conference.join(room))).toEqual(expired);
    expect(await refused(harness.guest(bob.token).parley.conference.join(room))).toEqual(expired);
    const id = await idOf(host, room, guest);
    network.cut();
    await host.event(
      'conference:participant:away',
      ({ participantId, isAway }) => participantId === id && isAway,
    );
    network.restore();
    await host.event(
      'conference:participant:away',
      ({ participantId, isAway }) => participantId === id && !isAway,
    );
    await guest.parley.conference.raiseHand(room);
    await host.event('conference:participant:updated', (one) => one.id === id && one.handRaised);
    await guest.parley.conference.leave(room);
    expect(await refused(guest.parley.conference.join(room))).toEqual(expired);
    expect(await refused(harness.guest(guest.token).parley.conference.join(room))).toEqual(expired);
    expect(host.seen('conference:participant:joined')).toHaveLength(1);
    await network.close();
  },

  async 'who publishes a stream comes back with an expired token until the stream ends'(harness) {
    const host = await harness.client();
    const { id: streamId } = await host.parley.streaming.create({ title: 'Show' });
    const token = await harness.token(streamId, { identity: 'alice', role: 'host' });
    const device = await connected(harness.url(), token.token);
    const held = [String(device.id)];
    expect(await send(device, 'streaming.start', { streamId })).toMatchObject({ ok: true });
    await harness.query(`UPDATE streams SET status = 'live' WHERE id = $1`, [streamId]);
    await expire(harness, token);
    device.disconnect();
    const again = await connected(harness.url(), token.token);
    expect(await send(again, 'streaming.start', { streamId, held })).toMatchObject({ ok: true });
    const reply = await send(again, 'streaming.start', { streamId });
    expect(reply).toMatchObject({ ok: false, error: { reason: 'token_expired' } });
    await host.parley.streaming.end(streamId);
    again.disconnect();
    await expect(connected(harness.url(), token.token)).rejects.toMatchObject({
      data: { reason: 'token_expired' },
    });
  },

  async 'is out at once when its token is revoked'(harness) {
    const { host, room } = await hosted(harness);
    const backend = await backendOf(harness, host, ['tokens:create']);
    const revoke = (token: Token) => backend('DELETE', `/rooms/${room}/tokens/${token.id}`);
    const guest = await guestIn(harness, room);
    const idle = harness.guest(guest.token);
    await idle.parley.guest();
    const spare = await harness.token(room, { identity: 'alice' });
    const late = harness.guest(spare);
    await late.parley.guest();
    // Another token of the same guest, which is not in use, and whose connection may still be open.
    await revoke(spare);
    expect(await refused(late.parley.conference.join(room))).toEqual(revoked);
    await idOf(host, room, guest);
    await revoke(guest.token);
    expect(await guest.event('conference:removed')).toMatchObject({ roomId: room, reason: 'revoked' });
    expect(await host.event('conference:participant:left')).toMatchObject({ walletAddress: guest.address });
    for (const device of [guest, idle, late]) {
      const { error } = await device.event('connection:changed', ({ state }) => state === 'closed');
      expect([error?.code, error?.reason]).toEqual(revoked);
      expect(await refused(device.parley.conference.join(room))).toEqual(revoked);
    }
    expect(await refused(harness.guest(guest.token).parley.conference.join(room))).toEqual(revoked);
    await guestIn(harness, room);
    expect(guest.seen('media:replaced')).toEqual([]);
  },

  async 'has nothing to do with the guest of the same name in another room'(harness) {
    const [here, there] = [await hosted(harness), await hosted(harness)];
    const [alice, namesake] = [
      await guestIn(harness, here.room, { role: 'host' }),
      await guestIn(harness, there.room, { role: 'host' }),
    ];
    await namesake.parley.conference.sendChat(there.room, 'Private');
    const { conference } = alice.parley;
    const theirs = await idOf(there.host, there.room, namesake);
    for (const [run, reason] of [
      [() => conference.get(there.room), 'other_room'],
      [() => conference.join(there.room), 'other_room'],
      [() => conference.sendChat(there.room, 'x'), 'not_found'],
      [() => conference.getChat(there.room), 'not_found'],
      [() => conference.raiseHand(there.room), 'not_found'],
      [() => conference.muteAudio(there.room), 'not_found'],
      [() => conference.lock(there.room), 'not_a_host'],
      [() => conference.getWaiting(there.room), 'not_a_host'],
      [() => conference.admit(there.room, here.host.address), 'not_a_host'],
      [() => conference.deny(there.room, here.host.address), 'not_a_host'],
      [() => conference.kick(there.room, theirs), 'not_a_host'],
      [() => conference.muteParticipant(there.room, theirs), 'not_a_host'],
      [() => conference.setRole(there.room, theirs, 'viewer'), 'not_a_host'],
      [() => conference.startRecording(there.room), 'not_a_host'],
      [() => conference.stopRecording(there.room), 'not_a_host'],
      [() => conference.end(there.room), 'not_a_host'],
    ] as const)
      expect((await refused(run()))[1]).toBe(reason);
    // This device is in the other room with another token, so it leaves nothing.
    await conference.leave(there.room);
    await conference.leave(here.room);
    await here.host.event('conference:participant:left');
    await namesake.parley.conference.sendChat(there.room, 'Still here');
    await there.host.event('conference:chat:message', ({ message }) => message.content === 'Still here');
    await here.host.parley.conference.end(here.room);
    expect(find(there.host, there.room, namesake.address)).toMatchObject({ role: 'host' });
    expect(alice.seen('conference:chat:message')).toEqual([]);
    expect(there.host.seen('conference:participant:left')).toEqual([]);
  },

  async 'is gone with the room'(harness) {
    const { host, room } = await hosted(harness);
    const guest = await guestIn(harness, room);
    await host.parley.conference.end(room);
    expect(await guest.event('conference:ended')).toMatchObject({ id: room, endReason: 'ended' });
    expect(await refused(guest.parley.conference.join(room))).toEqual(['CONFLICT', 'room_ended']);
    const again = harness.guest(guest.token);
    expect(await refused(again.parley.conference.join(room))).toEqual(['CONFLICT', 'room_ended']);
    expect(await refused(again.parley.conference.getChat(room))).toEqual(['NOT_FOUND', 'not_found']);
  },
};

const expired = ['AUTHENTICATION_REQUIRED', 'token_expired'];
const revoked = ['AUTHENTICATION_REQUIRED', 'token_revoked'];

/** A room whose host, a wallet, is in it. */
async function hosted(
  harness: Harness,
  settings: Parameters<typeof created>[1] = {},
): Promise<{ host: TestClient; room: string }> {
  const host = await harness.client();
  const room = await created(host, settings);
  await host.parley.conference.join({ roomId: room, displayName: 'Host' });
  return { host, room };
}

/** Sends requests as the backend of a wallet's account. */
async function backendOf(harness: Harness, { account }: TestClient, scopes: KeyScope[]) {
  const { token, walletAddress: wallet } = await signIn(harness.url(), account, { audience: 'dashboard' });
  const { secret } = await newKey(harness.url(), { wallet, dashboard: bearer(token), app: {} }, { scopes });
  return async (method: string, path: string) => {
    const reply = await api(harness.url(), method, path, bearer(secret));
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.text}`);
  };
}

/** A guest with a new token, who joins the room. */
export async function guestIn(
  harness: Harness,
  room: string,
  wanted: Partial<WantedToken> = {},
  { isJoined = true, url }: { isJoined?: boolean; url?: string } = {},
): Promise<TestGuest> {
  const guest = harness.guest(await harness.token(room, { identity: 'alice', ...wanted }), url);
  if (isJoined) await guest.parley.conference.join(room);
  return guest;
}

async function expire(harness: Harness, ...tokens: Token[]): Promise<void> {
  const text = `UPDATE participant_tokens SET expires_at = now() - interval '1 second' WHERE id = ANY ($1)`;
  await harness.query(text, [tokens.map(({ id }) => id)]);
}

/** A participant as a client sees it. */
function find(client: RecordingClient, room: string, who: string): Participant | undefined {
  return client.parley.conference.participants(room).find(({ walletAddress }) => walletAddress === who);
}

/** The id of a participant. Waits until the client has been told of it, which may be connected to another node. */
export function idOf(
  client: RecordingClient,
  room: string,
  of: string | { address: string },
): Promise<string> {
  const who = typeof of === 'string' ? of : of.address;
  return until(() => find(client, room, who)?.id, `${who} is in the room`);
}
