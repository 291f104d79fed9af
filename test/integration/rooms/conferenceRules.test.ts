import type { Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPeer, vp8 } from '../../harness/media/mediaFixtures.ts';
import type { WireConferenceRoom } from '../../../sdk/protocol/conference.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import { requests } from '../../../sdk/protocol/wire.ts';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';

import { created, idIn, refused } from '../../scenarios/conference.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { openRawDevice } from '../socket/openRawDevice.ts';
import { closeSockets, code, connected, next, signIn } from '../support.ts';

let harness: OneNode;
let device: Socket;

beforeAll(async () => {
  harness = await oneNode({
    CALL_GRACE_SECONDS: '2',
    RATE_LIMIT_ROOMS: '5',
    RATE_LIMIT_JOINS: '6',
    RATE_LIMIT_CHAT: '20',
    RATE_LIMIT_DATA: '5',
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
const unknownRoom = newId('room');
const room = { name: 'Room', maxParticipants: 5 };

describe('an invalid request', () => {
  it.each<[string, string, object]>([
    ['no name', 'conference.create', { maxParticipants: 5 }],
    ['an empty name', 'conference.create', { ...room, name: '  ' }],
    ['a name that is too long', 'conference.create', { ...room, name: 'x'.repeat(101) }],
    ['a room for one participant', 'conference.create', { ...room, maxParticipants: 1 }],
    ['a room for too many participants', 'conference.create', { ...room, maxParticipants: 1_001 }],
    ['a fractional capacity', 'conference.create', { ...room, maxParticipants: 2.5 }],
    ['no capacity', 'conference.create', { name: 'Room' }],
    ['an unknown setting', 'conference.create', { ...room, settings: { colour: 'red' } }],
    ['an unsupported codec', 'conference.create', { ...room, settings: { codec: 'av1' } }],
    ['an empty timeout of zero', 'conference.create', { ...room, settings: { emptyTimeout: 0 } }],
    ['a duration of more than a week', 'conference.create', { ...room, settings: { maxDuration: 700_000 } }],
    ['a malformed room id', 'conference.join', { roomId: 'room_1' }],
    [
      'a display name of a hundred letters',
      'conference.join',
      { roomId: unknownRoom, displayName: 'x'.repeat(100) },
    ],
    [
      'an unknown role',
      'conference.setRole',
      { roomId: unknownRoom, participantId: newId('par'), role: 'king' },
    ],
    ['a chat message without text', 'conference.sendChat', { roomId: unknownRoom, content: ' ' }],
    [
      'a chat message that is too long',
      'conference.sendChat',
      { roomId: unknownRoom, content: 'x'.repeat(2_001) },
    ],
    ...[
      { topic: '', json: 1 },
      { topic: 'x'.repeat(65), json: 1 },
      { topic: 'a\0b', json: 1 },
      { json: 1 },
      { topic: 'x' },
      { topic: 'x', json: null, bytes: '' },
      { topic: 'x', bytes: 'AAA' },
      { topic: 'x', bytes: 'AA-_' },
      { topic: 'x', bytes: 1 },
      { topic: 'x', json: JSON.parse('['.repeat(101) + ']'.repeat(101)) as unknown },
      { topic: 'x', json: 1, to: [] },
      { topic: 'x', json: 1, to: Array.from({ length: 101 }, () => newId('par')) },
      { topic: 'x', json: 1, to: [anyAddress] },
      { topic: 'x', json: 1, reliable: 'no' },
      { topic: 'x', json: 1, from: newId('par') },
    ].map((data): [string, string, object] => [
      `data ${JSON.stringify(data).slice(0, 60)}`,
      'conference.sendData',
      { roomId: unknownRoom, ...data },
    ]),
    ['an invitation without addresses', 'conference.invite', { roomId: unknownRoom, addresses: [] }],
    ['a gated room without a gate', 'gatedRooms.create', { ...room, gateType: 'nft' }],
    ['an invalid chain id', 'gatedRooms.inspect', { chainId: 0, contractAddress: anyAddress }],
  ])('fails with VALIDATION_ERROR: %s', async (_case, name, payload) => {
    expect(await code(device, name, payload)).toBe('VALIDATION_ERROR');
  });

  it('fails with VALIDATION_ERROR: data that is nested so deep that no recursion can read it', async () => {
    const { token } = await signIn(harness.url());
    const { raw, frame } = await openRawDevice(harness.url(), { token, protocolVersion });
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    raw.send(`420["conference.sendData",{"roomId":"${unknownRoom}","topic":"x","json":${deep}}]`);
    expect(await frame('430')).toContain('"json: must be nested at most 100 levels deep"');
    raw.terminate();
  });

  it.each<[string, object]>([
    ['conference.invite', { roomId: unknownRoom, addresses: ['0x12'] }],
    ['conference.admit', { roomId: unknownRoom, walletAddress: 'vitalik.eth' }],
    ['gatedRooms.checkAccess', { roomId: unknownRoom, walletAddress: '0x' }],
    ['gatedRooms.inspect', { chainId: 1, contractAddress: '0x' }],
  ])('fails with INVALID_ADDRESS: %s with a malformed address', async (name, payload) => {
    expect(await code(device, name, payload)).toBe('INVALID_ADDRESS');
  });
});

const validFields: Record<string, object> = {
  'conference.kick': { participantId: newId('par') },
  'conference.muteParticipant': { participantId: newId('par') },
  'conference.setRole': { participantId: newId('par'), role: 'host' },
  'conference.invite': { addresses: [anyAddress] },
  'conference.sendChat': { content: 'x' },
  'conference.sendData': { topic: 'x', json: 1 },
  'conference.admit': { walletAddress: anyAddress },
  'conference.deny': { walletAddress: anyAddress },
  'gatedRooms.checkAccess': { walletAddress: anyAddress },
};
const roomRequests = Object.keys(requests).filter(
  (name) =>
    /^(conference|gatedRooms)\./.test(name) &&
    !/\.(create|list|past|getChains|getExample|inspect)$/.test(name),
);

describe('requests about a room', () => {
  it.each(roomRequests)('%s fails with NOT_FOUND for an unknown room', async (name) => {
    expect(await code(device, name, { roomId: unknownRoom, ...validFields[name] })).toBe('NOT_FOUND');
  });

  /** Requests for hosts only. The others are for participants or for all wallets. */
  const hostRequests = [
    'kick',
    'muteParticipant',
    'setRole',
    'invite',
    'admit',
    'admitAll',
    'deny',
    'lock',
    'end',
    'getWaiting',
    'startRecording',
    'stopRecording',
  ];
  const publicRequests = ['conference.get', 'conference.join', 'conference.leave', 'gatedRooms.checkAccess'];

  it('require the host role, participation or neither', async () => {
    const roomId = await created(await harness.client());
    for (const name of roomRequests.filter((one) => !publicRequests.includes(one))) {
      const expected = hostRequests.includes(name.split('.')[1] ?? '') ? 'ACCESS_DENIED' : 'NOT_FOUND';
      expect([name, await code(device, name, { roomId, ...validFields[name] })]).toEqual([name, expected]);
    }
    // The device is now a participant but not a host.
    expect(await code(device, 'conference.join', { roomId })).toBe('ok');
    for (const name of hostRequests)
      expect([
        name,
        await code(device, `conference.${name}`, { roomId, ...validFields[`conference.${name}`] }),
      ]).toEqual([name, 'ACCESS_DENIED']);
    expect(await code(device, 'conference.leave', { roomId })).toBe('ok');
    expect(await code(device, 'conference.leave', { roomId })).toBe('ok');
  });

  it('fail with CONFLICT after the room has ended', async () => {
    const host = await harness.client();
    const roomId = await created(host);
    await host.parley.conference.join(roomId);
    await host.parley.conference.end(roomId);
    const { conference } = host.parley;
    for (const request of [
      () => conference.join(roomId),
      () => conference.lock(roomId),
      () => conference.invite(roomId, [anyAddress]),
      () => conference.end(roomId),
      () => conference.sendChat(roomId, 'x'),
      () => conference.raiseHand(roomId),
    ])
      await expect(request()).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await conference.get(roomId)).toMatchObject({ status: 'ended', participants: [] });
  });
});

describe('limits', () => {
  const expectLimit = async (run: () => Promise<unknown>, limit: number) => {
    let accepted = 0;
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
        return expect(accepted).toBe(limit);
      }
      accepted++;
    }
  };

  it('apply to the rooms, joins, invitations and gate checks of a wallet per minute', async () => {
    const [host, guest] = [await harness.client(), await harness.client()];
    const roomId = await created(host);
    await expectLimit(() => created(host), 4);
    await expectLimit(() => guest.parley.conference.join(roomId), 6);
    const address = guest.address;
    await expectLimit(() => host.parley.conference.invite(roomId, [address]), 100);
    const check = () =>
      guest.parley.gatedRooms.checkAccess(roomId, address).catch((error: { code: string }) => {
        if (error.code !== 'NOT_FOUND') throw error;
      });
    await expectLimit(check, 2);
  });

  it('apply to the members of a room, but not to those who are invited again', async () => {
    const [host, guest, other] = [await harness.client(), await harness.client(), await harness.client()];
    const roomId = await created(host);
    await host.parley.conference.invite(roomId, [guest.address]);
    await queryDatabase(
      harness.server,
      `INSERT INTO room_members (room_id, wallet, standing, changed_at)
        SELECT $1, 'member ' || n, 'away', now() FROM generate_series(1, 9999) AS n`,
      [roomId],
    );
    await expect(host.parley.conference.invite(roomId, [guest.address, other.address])).rejects.toMatchObject(
      {
        code: 'CONFLICT',
      },
    );
    await host.parley.conference.invite(roomId, [guest.address]);
  });

  it('apply to data, whose accepted messages arrive', async () => {
    const [host, guest] = [await harness.client(), await harness.client()];
    const roomId = await created(host);
    for (const client of [host, guest]) await client.parley.conference.join(roomId);
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, number) =>
        refused(guest.parley.conference.sendData(roomId, 'x', number)),
      ),
    );
    const codes = outcomes.map(([code]) => code);
    expect(codes.slice(0, 5)).toEqual(Array(5).fill('ok'));
    expect(codes.slice(5)).toEqual(Array(3).fill('RATE_LIMIT_EXCEEDED'));
    await host.event('conference:data', ({ data }) => data === 4);
    expect(host.seen('conference:data').map(({ data }) => data)).toEqual([0, 1, 2, 3, 4]);
  });

  it('apply to changes that notify the whole room, but not to muting', async () => {
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
    // There are more than eight changes if ten seconds passed during the requests.
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

  it('apply to media joins and producers', async () => {
    const guest = await connected(harness.url(), (await signIn(harness.url())).token);
    const roomId = await created(await harness.client());
    const at = { scope: 'conference', id: roomId };
    const { rtpCapabilities } = newPeer('any');
    expect(await code(guest, 'conference.join', { roomId })).toBe('ok');
    const join = () => code(guest, 'media.join', { ...at, rtpCapabilities });
    for (let count = 0; count < 6; count++) expect(await join()).toBe('ok');
    // Another join would replace the previous one, at the cost of two transports.
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

  it('apply to chat messages and to the stored history', async () => {
    const [host, late] = [await harness.client(), await harness.client()];
    const roomId = await created(host);
    await host.parley.conference.join(roomId);
    // Insert as many rows as the server keeps. Under the limit per minute, sending them one by one would take too long.
    let count = 500;
    await queryDatabase(
      harness.server,
      `INSERT INTO room_chat (id, room_id, wallet, content, sent_at)
       SELECT id, $1, $2, 'line ' || line, now() - interval '1 minute' + line * interval '1 millisecond'
       FROM unnest($3::text[]) WITH ORDINALITY AS made (id, line)`,
      [roomId, host.address, Array.from({ length: count }, () => newId('msg'))],
    );
    await expectLimit(() => host.parley.conference.sendChat(roomId, `line ${++count}`), 20);
    await late.parley.conference.join(roomId);
    const stored: string[] = [];
    let before: string | undefined;
    for (;;) {
      const page = await late.parley.conference.getChat(roomId, {
        limit: 100,
        ...(before ? { before } : {}),
      });
      if (page.length === 0) break;
      stored.unshift(...page.map(({ message }) => message.content));
      before = page[0]?.message.id;
    }
    expect(stored).toEqual(Array.from({ length: 500 }, (_, at) => `line ${at + 21}`));
  });
});

describe('settings', () => {
  it('let only hosts write with allowChat false', async () => {
    const [host, guest] = [await harness.client(), await harness.client()];
    const roomId = await created(host, { allowChat: false });
    for (const client of [host, guest]) await client.parley.conference.join(roomId);
    await host.parley.conference.sendChat(roomId, 'Welcome');
    await guest.event('conference:chat:message');
    await expect(guest.parley.conference.sendChat(roomId, 'x')).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
    });
  });

  it('let an invited wallet join that has blocked the host, although it gets no invitation event', async () => {
    const [host, guest, other] = [await harness.client(), await harness.client(), await harness.client()];
    await guest.parley.calls.block(host.address);
    const roomId = await created(host, { locked: true });
    await host.parley.conference.invite(roomId, [guest.address, other.address]);
    await other.event('conference:invited');
    expect(guest.seen('conference:invited')).toEqual([]);
    await guest.parley.conference.join(roomId);
  });

  it('announce a lock only when it changes, without the list of participants', async () => {
    const [host, guest] = [await harness.client(), await harness.client()];
    const rawDevice = await connected(harness.url(), (await signIn(harness.url())).token);
    const roomId = await created(host);
    for (const client of [host, guest]) await client.parley.conference.join(roomId);
    expect(await code(rawDevice, 'conference.join', { roomId })).toBe('ok');
    await host.event(
      'conference:participant:joined',
      () => host.parley.conference.participants(roomId).length === 3,
    );
    const update = next<WireConferenceRoom>(rawDevice, 'conference:updated');
    const { participants } = await host.parley.conference.lock(roomId);
    expect(participants).toHaveLength(3);
    expect(await update).toMatchObject({ id: roomId, settings: { locked: true }, participants: [] });
    const received = await guest.event('conference:updated');
    expect(received).toMatchObject({ settings: { locked: true } });
    expect(received.participants.map(({ walletAddress }) => walletAddress)).toContain(host.address);
    expect(received.participants).toHaveLength(3);
    expect(await host.parley.conference.lock(roomId)).toMatchObject({ settings: { locked: true } });
    await host.parley.conference.lock(roomId, false);
    await guest.event('conference:updated', ({ settings }) => !settings.locked);
    expect(guest.seen('conference:updated')).toHaveLength(2);
  });

  it('announce a raised and a lowered hand', async () => {
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
