import type { Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPeer, vp8 } from '../../harness/mediaFixtures.ts';
import type { WireConferenceRoom } from '../../../sdk/protocol/conference.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { requests } from '../../../sdk/protocol/wire.ts';
import { oneNode, type OneNode } from '../../harness/Harness.ts';

import { created, idIn } from '../../scenarios/conference.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { closeSockets, code, connected, next, signIn } from '../support.ts';

let harness: OneNode;
let device: Socket;

beforeAll(async () => {
  harness = await oneNode({
    CALL_GRACE_SECONDS: '2',
    RATE_LIMIT_ROOMS: '5',
    RATE_LIMIT_JOINS: '6',
    RATE_LIMIT_CHAT: '20',
    RATE_LIMIT_INVITES: '100',
    RATE_LIMIT_GATES: '2',
    RATE_LIMIT_CHANGES: '8',
    RATE_LIMIT_REALTIME: '100000',
  });
  device = await connected(harness.url(), (await signIn(harness.url())).token);
});
afterAll(async () => {
  closeSockets();
  await harness?.close();
});

const anyAddress = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const none = newId('room');
const room = { name: 'Room', maxParticipants: 5 };

describe('a request that makes no sense', () => {
  it.each<[string, string, object]>([
    ['no name', 'conference.create', { maxParticipants: 5 }],
    ['an empty name', 'conference.create', { ...room, name: '  ' }],
    ['a name beyond all bounds', 'conference.create', { ...room, name: 'x'.repeat(101) }],
    ['a room for one', 'conference.create', { ...room, maxParticipants: 1 }],
    ['a room for too many', 'conference.create', { ...room, maxParticipants: 1_001 }],
    ['half a place', 'conference.create', { ...room, maxParticipants: 2.5 }],
    ['no cap', 'conference.create', { name: 'Room' }],
    ['a setting nobody knows', 'conference.create', { ...room, settings: { colour: 'red' } }],
    ['a codec rooms don’t have', 'conference.create', { ...room, settings: { codec: 'av1' } }],
    ['no time at all', 'conference.create', { ...room, settings: { emptyTimeout: 0 } }],
    ['more than a week', 'conference.create', { ...room, settings: { maxDuration: 700_000 } }],
    ['a room’s id of another form', 'conference.join', { roomId: 'room_1' }],
    ['a name of a hundred letters', 'conference.join', { roomId: none, displayName: 'x'.repeat(100) }],
    ['a role nobody has', 'conference.setRole', { roomId: none, participantId: newId('par'), role: 'king' }],
    ['no words', 'conference.sendChat', { roomId: none, content: ' ' }],
    ['too many words', 'conference.sendChat', { roomId: none, content: 'x'.repeat(2_001) }],
    ['nobody invited', 'conference.invite', { roomId: none, addresses: [] }],
    ['a gate without a gate', 'gatedRooms.create', { ...room, gateType: 'nft' }],
    ['a chain that is none', 'gatedRooms.inspect', { chainId: 0, contractAddress: anyAddress }],
  ])('%s is VALIDATION_ERROR', async (_what, name, payload) => {
    expect(await code(device, name, payload)).toBe('VALIDATION_ERROR');
  });

  it.each<[string, object]>([
    ['conference.invite', { roomId: none, addresses: ['0x12'] }],
    ['conference.admit', { roomId: none, walletAddress: 'vitalik.eth' }],
    ['gatedRooms.checkAccess', { roomId: none, walletAddress: '0x' }],
    ['gatedRooms.inspect', { chainId: 1, contractAddress: '0x' }],
  ])('%s with no address is INVALID_ADDRESS', async (name, payload) => {
    expect(await code(device, name, payload)).toBe('INVALID_ADDRESS');
  });
});

const more: Record<string, object> = {
  'conference.kick': { participantId: newId('par') },
  'conference.muteParticipant': { participantId: newId('par') },
  'conference.setRole': { participantId: newId('par'), role: 'host' },
  'conference.invite': { addresses: [anyAddress] },
  'conference.sendChat': { content: 'x' },
  'conference.admit': { walletAddress: anyAddress },
  'conference.deny': { walletAddress: anyAddress },
  'gatedRooms.checkAccess': { walletAddress: anyAddress },
};
const ofRooms = Object.keys(requests).filter(
  (name) => /^(conference|gatedRooms)\./.test(name) && !/\.(create|list|getChains|inspect)$/.test(name),
);

describe('every request about a room', () => {
  it.each(ofRooms)('%s of one that is not there is NOT_FOUND', async (name) => {
    expect(await code(device, name, { roomId: none, ...more[name] })).toBe('NOT_FOUND');
  });

  /** What only hosts may; the others are for those inside, or for all. */
  const forHosts = [
    'kick',
    'muteParticipant',
    'setRole',
    'invite',
    'admit',
    'deny',
    'lock',
    'end',
    'getWaiting',
    'startRecording',
    'stopRecording',
  ];
  const forAll = ['conference.get', 'conference.join', 'conference.leave', 'gatedRooms.checkAccess'];

  it('asks who it is: hosts, those inside, all', async () => {
    const roomId = await created(await harness.client());
    for (const name of ofRooms.filter((one) => !forAll.includes(one))) {
      const expected = forHosts.includes(name.split('.')[1] ?? '') ? 'ACCESS_DENIED' : 'NOT_FOUND';
      expect([name, await code(device, name, { roomId, ...more[name] })]).toEqual([name, expected]);
    }
    // Inside, without being a host.
    expect(await code(device, 'conference.join', { roomId })).toBe('ok');
    for (const name of forHosts)
      expect([
        name,
        await code(device, `conference.${name}`, { roomId, ...more[`conference.${name}`] }),
      ]).toEqual([name, 'ACCESS_DENIED']);
    expect(await code(device, 'conference.leave', { roomId })).toBe('ok');
    expect(await code(device, 'conference.leave', { roomId })).toBe('ok');
  });

  it('that is over is a conflict', async () => {
    const host = await harness.client();
    const roomId = await created(host);
    await host.parley.conference.join(roomId);
    await host.parley.conference.end(roomId);
    const { conference } = host.parley;
    for (const again of [
      () => conference.join(roomId),
      () => conference.lock(roomId),
      () => conference.invite(roomId, [anyAddress]),
      () => conference.end(roomId),
      () => conference.sendChat(roomId, 'x'),
      () => conference.raiseHand(roomId),
    ])
      await expect(again()).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await conference.get(roomId)).toMatchObject({ status: 'ended', participants: [] });
  });
});

describe('limits', () => {
  const until = async (run: () => Promise<unknown>, most: number) => {
    let passed = 0;
    for (;;) {
      const outcome = await run().then(
        () => null,
        (error: unknown) => error,
      );
      if (outcome) {
        expect(outcome).toMatchObject({
          code: 'RATE_LIMIT_EXCEEDED',
          retryAfter: expect.any(Number) as number,
        });
        return expect(passed).toBe(most);
      }
      passed++;
    }
  };

  it('bound the rooms, joins, invitations and checks of a wallet in a minute', async () => {
    const [host, guest] = [await harness.client(), await harness.client()];
    const roomId = await created(host);
    await until(() => created(host), 4);
    await until(() => guest.parley.conference.join(roomId), 6);
    const address = guest.address;
    await until(() => host.parley.conference.invite(roomId, [address]), 100);
    const check = () =>
      guest.parley.gatedRooms.checkAccess(roomId, address).catch((error: { code: string }) => {
        if (error.code !== 'NOT_FOUND') throw error;
      });
    await until(check, 2);
  });

  it('bound what everybody in a room is told because of one, but nobody’s falling silent', async () => {
    const [host, guest] = [await harness.client(), await harness.client()];
    const roomId = await created(host);
    for (const client of [host, guest]) await client.parley.conference.join(roomId);
    const { conference } = guest.parley;
    let changes = 0;
    const refusal = async () => {
      for (;;) {
        try {
          await conference.raiseHand(roomId, changes % 2 === 0);
          changes++;
        } catch (error) {
          return error;
        }
      }
    };
    const refused = { code: 'RATE_LIMIT_EXCEEDED', retryAfter: expect.any(Number) as number };
    expect(await refusal()).toMatchObject(refused);
    // More where ten seconds went by meanwhile.
    expect(changes).toBeGreaterThanOrEqual(8);
    expect(await refusal()).toMatchObject(refused);
    await expect(conference.unmuteAudio(roomId)).rejects.toMatchObject(refused);
    for (let count = 0; count < 20; count++) await conference.muteAudio(roomId);
    await conference.raiseHand(roomId, changes % 2 === 1);
    const toggle = async () => {
      for (let locked = true; ; locked = !locked) await host.parley.conference.lock(roomId, locked);
    };
    await expect(toggle()).rejects.toMatchObject(refused);
  });

  it('bound what one begins to send', async () => {
    const guest = await connected(harness.url(), (await signIn(harness.url())).token);
    const roomId = await created(await harness.client());
    const at = { scope: 'conference', id: roomId };
    const { rtpCapabilities } = newPeer('any');
    expect(await code(guest, 'conference.join', { roomId })).toBe('ok');
    const join = () => code(guest, 'media.join', { ...at, rtpCapabilities });
    for (let count = 0; count < 6; count++) expect(await join()).toBe('ok');
    // It would replace the one before, at the cost of two transports.
    expect(await join()).toBe('RATE_LIMIT_EXCEEDED');
    const camera = () => code(guest, 'media.produce', { ...at, source: 'camera', rtpParameters: vp8() });
    let sent = 0;
    let last = 'ok';
    for (; last === 'ok'; sent++) {
      last = await camera();
      if (last === 'ok') await code(guest, 'media.closeProducer', { ...at, source: 'camera' });
    }
    expect(last).toBe('RATE_LIMIT_EXCEEDED');
    expect(sent).toBeGreaterThan(8);
  });

  it('bound what is said, and what is kept of it', async () => {
    const [host, late] = [await harness.client(), await harness.client()];
    const roomId = await created(host);
    await host.parley.conference.join(roomId);
    // As many as are kept, from before: sent one by one they would take longer than the minute the limit is for.
    let said = 500;
    await queryDatabase(
      harness.server,
      `INSERT INTO room_chat (id, room_id, wallet, content, sent_at)
       SELECT id, $1, $2, 'line ' || line, now() - interval '1 minute' + line * interval '1 millisecond'
       FROM unnest($3::text[]) WITH ORDINALITY AS made (id, line)`,
      [roomId, host.address, Array.from({ length: said }, () => newId('msg'))],
    );
    await until(() => host.parley.conference.sendChat(roomId, `line ${++said}`), 20);
    await late.parley.conference.join(roomId);
    const kept: string[] = [];
    let before: string | undefined;
    for (;;) {
      const page = await late.parley.conference.getChat(roomId, {
        limit: 100,
        ...(before ? { before } : {}),
      });
      if (page.length === 0) break;
      kept.unshift(...page.map(({ message }) => message.content));
      before = page[0]?.message.id;
    }
    expect(kept).toEqual(Array.from({ length: 500 }, (_, at) => `line ${at + 21}`));
  });
});

describe('settings', () => {
  it('allowChat false: hosts alone write', async () => {
    const [host, guest] = [await harness.client(), await harness.client()];
    const roomId = await created(host, { allowChat: false });
    for (const client of [host, guest]) await client.parley.conference.join(roomId);
    await host.parley.conference.sendChat(roomId, 'Welcome');
    await guest.event('conference:chat:message');
    await expect(guest.parley.conference.sendChat(roomId, 'x')).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
    });
  });

  it('who blocked somebody is not told of their invitations, and may come all the same', async () => {
    const [host, guest, other] = [await harness.client(), await harness.client(), await harness.client()];
    await guest.parley.calls.block(host.address);
    const roomId = await created(host, { locked: true });
    await host.parley.conference.invite(roomId, [guest.address, other.address]);
    await other.event('conference:invited');
    expect(guest.seen('conference:invited')).toEqual([]);
    await guest.parley.conference.join(roomId);
  });

  it('a lock is told when it changes, without those who are in the room, whom everybody in it knows', async () => {
    const [host, guest] = [await harness.client(), await harness.client()];
    const bare = await connected(harness.url(), (await signIn(harness.url())).token);
    const roomId = await created(host);
    for (const client of [host, guest]) await client.parley.conference.join(roomId);
    expect(await code(bare, 'conference.join', { roomId })).toBe('ok');
    await host.event(
      'conference:participant:joined',
      () => host.parley.conference.participants(roomId).length === 3,
    );
    const told = next<WireConferenceRoom>(bare, 'conference:updated');
    const { participants } = await host.parley.conference.lock(roomId);
    expect(participants).toHaveLength(3);
    expect(await told).toMatchObject({ id: roomId, settings: { locked: true }, participants: [] });
    const heard = await guest.event('conference:updated');
    expect(heard).toMatchObject({ settings: { locked: true } });
    expect(heard.participants.map(({ walletAddress }) => walletAddress)).toContain(host.address);
    expect(heard.participants).toHaveLength(3);
    expect(await host.parley.conference.lock(roomId)).toMatchObject({ settings: { locked: true } });
    await host.parley.conference.lock(roomId, false);
    await guest.event('conference:updated', ({ settings }) => !settings.locked);
    expect(guest.seen('conference:updated')).toHaveLength(2);
  });

  it('a raised hand is seen, and goes down', async () => {
    const [host, guest] = [await harness.client(), await harness.client()];
    const roomId = await created(host);
    for (const client of [host, guest]) await client.parley.conference.join(roomId);
    const id = await idIn(host, roomId, guest);
    await guest.parley.conference.raiseHand(roomId);
    await host.event('conference:participant:updated', (one) => one.id === id && one.handRaised);
    await guest.parley.conference.raiseHand(roomId, false);
    await host.event('conference:participant:updated', (one) => one.id === id && !one.handRaised);
  });
});
