import { PgDatabase } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LivingStore } from '../../../platform/node/LivingStore.ts';
import type { EventName, EventOf } from '../../../sdk/protocol/wire.ts';
import { MediaRoom } from '../../../media/room/MediaRoom.ts';
import { unreachable } from '../../../media/router/unreachable.ts';
import { ConferenceStore } from '../../../signaling/conference/ConferenceStore.ts';
import { WatchingStore } from '../../../signaling/streaming/WatchingStore.ts';
import { TestClient } from '../../harness/clients/TestClient.ts';
import { newPeer, opus, vp8 } from '../../harness/media/mediaFixtures.ts';
import { until } from '../../harness/until.ts';
import { connected, newWallet } from '../support.ts';
import { newBackend, RawDevice, startInProcess, type ServerInProcess } from './inProcessSupport.ts';

/* PostgreSQL stores a change of a room or call, and then its answer to the commit is lost. The server runs in this process for that. */

let server: ServerInProcess;

beforeAll(async () => {
  server = await startInProcess();
});
afterAll(() => server?.close());

/** Loses the answer to the commit of the next transaction of a store. */
function loseNextCommit(): void {
  replaceOnce(LivingStore.prototype, (change) => (...given) => {
    replaceOnce(PgDatabase.prototype, (commit) => async (...run) => {
      await commit(...run);
      throw databaseLost();
    });
    return change(...given);
  });
}

const databaseLost = () => new Error('Connection terminated unexpectedly');

/** Lets the next call of a method fail. */
function failOnce(prototype: object, name: string, error: Error = databaseLost()): void {
  const original = Reflect.get(prototype, name) as unknown;
  const fail = () => {
    Object.assign(prototype, { [name]: original });
    return Promise.reject(error);
  };
  Object.assign(prototype, { [name]: fail });
}

/** Lets the next transaction of a store fail. */
const failNextChange = () => failOnce(LivingStore.prototype, 'transaction');

type Transaction = (...given: unknown[]) => Promise<unknown>;

function replaceOnce(prototype: object, by: (original: Transaction) => Transaction): void {
  const original = Reflect.get(prototype, 'transaction') as Transaction;
  Object.assign(prototype, {
    transaction(this: unknown, ...given: unknown[]) {
      Object.assign(prototype, { transaction: original });
      return by((...same) => original.apply(this, same))(...given);
    },
  });
}

class Device extends RawDevice {
  static async connect(account = newWallet()): Promise<Device> {
    return new Device(...(await RawDevice.connected(server, account)));
  }

  event<Name extends EventName>(name: Name): Promise<EventOf<Name>> {
    const socket = this.socket as { once(name: string, handle: (payload: never) => void): unknown };
    return new Promise((resolve) => socket.once(name, resolve));
  }
}

const { rtpCapabilities } = newPeer('any');
const camera = { source: 'camera', rtpParameters: vp8() } as const;
const microphone = { source: 'microphone', rtpParameters: opus() } as const;

const inRoom = async () => {
  const [host, guest] = [await Device.connect(), await Device.connect()];
  const { id } = await host.ask('conference.create', { name: 'Room', maxParticipants: 10 });
  await host.ask('conference.join', { roomId: id });
  return { host, guest, roomId: id };
};

describe('the others in a room', () => {
  it('learn of a participant who enters', async () => {
    const { host, guest, roomId } = await inRoom();
    const missed = host.event('session:missed');
    loseNextCommit();
    await expect(guest.ask('conference.join', { roomId })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    // The request is repeated, and the wallet is in the room already.
    await guest.ask('conference.join', { roomId });
    await missed;
    expect((await host.ask('conference.get', { roomId })).participants).toHaveLength(2);
  });

  it('learn of one who leaves', async () => {
    const { host, guest, roomId } = await inRoom();
    await guest.ask('conference.join', { roomId });
    const missed = host.event('session:missed');
    loseNextCommit();
    await expect(guest.ask('conference.leave', { roomId })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    await guest.ask('conference.leave', { roomId });
    await missed;
    expect((await host.ask('conference.get', { roomId })).participants).toHaveLength(1);
  });

  it('learn that it has ended', async () => {
    const { host, guest, roomId } = await inRoom();
    await guest.ask('conference.join', { roomId });
    const ended = guest.event('conference:ended');
    loseNextCommit();
    await expect(host.ask('conference.end', { roomId })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await ended).toMatchObject({ id: roomId, endReason: 'ended' });
  });

  it.each([
    ['a raised hand', 'conference.raiseHand', { raised: true }],
    ['a chat message', 'conference.sendChat', { content: 'Hello' }],
  ] as const)('learn of %s', async (_what, name, more) => {
    const { host, guest, roomId } = await inRoom();
    await guest.ask('conference.join', { roomId });
    const missed = host.event('session:missed');
    loseNextCommit();
    await expect(guest.ask(name, { roomId, ...more })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await missed;
  });

  const begins = async (fail: () => void, name: EventName) => {
    const { host, guest, roomId } = await inRoom();
    await guest.ask('conference.join', { roomId, media: { rtpCapabilities } });
    const told = host.event(name);
    fail();
    await guest.ask('media.produce', { scope: 'conference', id: roomId, ...camera });
    return told;
  };

  it('learn that a recording has begun, which begins at once', async () => {
    const { host, guest, roomId } = await inRoom();
    await guest.ask('conference.join', { roomId });
    const [begun, told] = [host.event('recording:updated'), guest.event('conference:recording')];
    loseNextCommit();
    await expect(host.ask('conference.startRecording', { roomId })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await told).toMatchObject({ roomId, recording: true });
    expect(await begun).toMatchObject({ roomId, status: 'recording' });
  });

  it('learn what a participant sends', () => begins(loseNextCommit, 'session:missed'));

  it('learn what a participant sends, also if that could not be stored at first', async () => {
    expect(await begins(failNextChange, 'conference:participant:updated')).toMatchObject({ video: true });
  });
});

describe('a wallet that waits', () => {
  const waits = async () => {
    const [host, guest] = [await Device.connect(), await Device.connect()];
    const room = { name: 'Room', maxParticipants: 10, settings: { waitingRoom: true } };
    const { id: roomId } = await host.ask('conference.create', room);
    await host.ask('conference.join', { roomId });
    expect(await guest.ask('conference.join', { roomId })).toEqual({ state: 'waiting' });
    return { host, guest, roomId, asked: guest.event('conference:admitted') };
  };

  it('enters when a host has admitted all', async () => {
    const { host, guest, roomId, asked } = await waits();
    loseNextCommit();
    await expect(host.ask('conference.admitAll', { roomId })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    await asked;
    expect(await guest.ask('conference.join', { roomId })).toMatchObject({ state: 'joined' });
  });

  it('learns that a host does not let it in', async () => {
    const { host, guest, roomId, asked } = await waits();
    loseNextCommit();
    await expect(
      host.ask('conference.deny', { roomId, walletAddress: guest.account.address }),
    ).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await asked;
    await expect(guest.ask('conference.join', { roomId })).rejects.toMatchObject({ reason: 'removed' });
  });
});

describe('a waiting room', () => {
  const withGuest = async () => {
    const [host, guest] = [await Device.connect(), await Device.connect()];
    const room = { name: 'Room', maxParticipants: 10, settings: { waitingRoom: true } };
    return { host, guest, roomId: (await host.ask('conference.create', room)).id };
  };

  it('shows its host who has come', async () => {
    const { host, guest, roomId } = await withGuest();
    const joined = host.event('conference:waiting:joined');
    loseNextCommit();
    await expect(guest.ask('conference.join', { roomId })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await guest.ask('conference.join', { roomId })).toEqual({ state: 'waiting' });
    expect(await joined).toMatchObject({ roomId, walletAddress: guest.account.address });
  });

  it('shows its host who has come, also if the hosts could not be read at first', async () => {
    const { host, guest, roomId } = await withGuest();
    const joined = host.event('conference:waiting:joined');
    const { prototype } = ConferenceStore;
    const hostsOf = Reflect.get(prototype, 'hostsOf');
    prototype.hostsOf = function (room, executor) {
      if (executor) return hostsOf.call(this, room, executor);
      prototype.hostsOf = hostsOf;
      return Promise.reject(databaseLost());
    };
    expect(await guest.ask('conference.join', { roomId })).toEqual({ state: 'waiting' });
    expect(await joined).toMatchObject({ roomId, walletAddress: guest.account.address });
  });

  it('tells those who wait that the room has ended', async () => {
    const { host, guest, roomId } = await withGuest();
    await guest.ask('conference.join', { roomId });
    const ended = guest.event('conference:ended');
    loseNextCommit();
    await expect(host.ask('conference.end', { roomId })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await ended).toMatchObject({ id: roomId });
  });
});

describe('a participant who may no longer send', () => {
  const sending = async (sent: typeof camera | typeof microphone = camera) => {
    const { host, guest, roomId } = await inRoom();
    await guest.ask('conference.join', { roomId, media: { rtpCapabilities } });
    await guest.ask('media.produce', { scope: 'conference', id: roomId, ...sent });
    const found = async () =>
      (await host.ask('conference.get', { roomId })).participants.find(
        ({ walletAddress }) => walletAddress === guest.account.address,
      );
    const shows = sent.source === 'camera' ? 'video' : 'audio';
    const { id } = await until(async () => {
      const participant = await found();
      return participant?.[shows] ? participant : null;
    }, 'the source is shown');
    return {
      host,
      roomId,
      id,
      stops: () => until(async () => !(await found())?.[shows], 'the source stops'),
    };
  };

  /** Lets the node of a room be out of reach for the next such request. */
  const loseMedia = (name: 'closeProducer' | 'setPaused') =>
    failOnce(MediaRoom.prototype, name, unreachable());

  it('stops when the answer to the change of its role is lost', async () => {
    const { host, roomId, id, stops } = await sending();
    loseNextCommit();
    await expect(
      host.ask('conference.setRole', { roomId, participantId: id, role: 'viewer' }),
    ).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await stops();
  });

  it('stops when the node of the room can be reached again', async () => {
    const { host, roomId, id, stops } = await sending();
    loseMedia('closeProducer');
    await host.ask('conference.setRole', { roomId, participantId: id, role: 'viewer' });
    await stops();
  });

  it('is muted when the node of the room can be reached again', async () => {
    const { host, roomId, id, stops } = await sending(microphone);
    loseMedia('setPaused');
    await host.ask('conference.muteParticipant', { roomId, participantId: id });
    await stops();
  });
});

describe('the viewers of a stream', () => {
  const watched = async () => {
    const [host, viewer] = [await Device.connect(), await Device.connect()];
    const { id: streamId } = await host.ask('streaming.create', { title: 'Stream' });
    await viewer.ask('streaming.watch', { streamId });
    return { host, viewer, streamId };
  };

  it('learn that it has ended', async () => {
    const { host, viewer, streamId } = await watched();
    const ended = viewer.event('stream:ended');
    loseNextCommit();
    await expect(host.ask('streaming.end', { streamId })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await ended).toMatchObject({ id: streamId, status: 'ended' });
  });

  it('are removed when they were banned', async () => {
    const { host, viewer, streamId } = await watched();
    const removed = viewer.event('stream:removed');
    loseNextCommit();
    const ban = { streamId, walletAddress: viewer.account.address, banned: true };
    await expect(host.ask('streaming.ban', ban)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await removed).toEqual({ streamId, reason: 'banned' });
  });

  it('are removed when they were banned, also if they could not be read at first', async () => {
    const { host, viewer, streamId } = await watched();
    const removed = viewer.event('stream:removed');
    failOnce(WatchingStore.prototype, 'ofWallet');
    const ban = { streamId, walletAddress: viewer.account.address, banned: true };
    await expect(host.ask('streaming.ban', ban)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await removed).toEqual({ streamId, reason: 'banned' });
  });

  it('lose their media when they were banned, also if only the answer to the removal is lost', async () => {
    const { host, viewer, streamId } = await watched();
    await host.ask('streaming.start', { streamId });
    await viewer.ask('media.join', { scope: 'stream', id: streamId, rtpCapabilities });
    const { prototype } = WatchingStore;
    const remove = Reflect.get(prototype, 'remove');
    Object.assign(prototype, {
      async remove(this: WatchingStore, ...given: Parameters<typeof remove>) {
        Object.assign(prototype, { remove });
        await remove.apply(this, given);
        throw databaseLost();
      },
    });
    const closed = vi.spyOn(MediaRoom.prototype, 'removeParticipant');
    onTestFinished(() => closed.mockRestore());
    const ban = { streamId, walletAddress: viewer.account.address, banned: true };
    await expect(host.ask('streaming.ban', ban)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    const identities = closed.mock.calls.map(([{ identity }]) => identity);
    expect(new Set(identities).size).toBe(1);
    const { peerIds } = (await closed.mock.results[0]?.value) as { peerIds: string[] };
    expect(peerIds).toHaveLength(1);
  });

  it('learn of other changes', async () => {
    const { host, viewer, streamId } = await watched();
    const updated = viewer.event('stream:updated');
    loseNextCommit();
    await expect(host.ask('streaming.start', { streamId })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await updated).toMatchObject({ id: streamId });
  });
});

it('stores a chat message once whose answer is lost', async () => {
  const client = await TestClient.signIn(server.url);
  onTestFinished(() => client.close());
  const { conference, streaming } = client.parley;
  const { id: roomId } = await conference.create({ name: 'Room', maxParticipants: 5 });
  await conference.join({ roomId });
  loseNextCommit();
  const said = await conference.sendChat(roomId, 'Hello');
  expect(await conference.getChat(roomId)).toEqual([said]);
  await conference.sendChat(roomId, 'Hello');
  expect(await conference.getChat(roomId)).toHaveLength(2);
  const stream = await streaming.create({ title: 'Stream' });
  loseNextCommit();
  const written = await streaming.sendChat(stream.id, 'Hello');
  expect(await streaming.getChat(stream.id)).toEqual([written]);
});

it('lets a guest join the media again whose right to receive has changed', async () => {
  const { rooms } = await newBackend(server);
  const { id: roomId } = await rooms.create({ name: 'Room' });
  const { token } = await rooms.createToken(roomId, { identity: 'guest' });
  const guest = new Device(newWallet(), await connected(server.url, token));
  await guest.ask('conference.join', { roomId, media: { rtpCapabilities } });
  const [participant] = (await rooms.participants(roomId)).data;
  const restarted = guest.event('media:restarted');
  loseNextCommit();
  const change = { grants: { canSubscribe: false } };
  await rooms.updateParticipant(roomId, participant?.id ?? '', change).catch(() => undefined);
  expect(await restarted).toEqual({ scope: 'conference', id: roomId });
});

describe('the other party of a call', () => {
  it('learns that it was answered, and that it has ended', async () => {
    const [caller, callee] = [await Device.connect(), await Device.connect()];
    const { id: callId } = await caller.ask('calls.start', { to: callee.account.address, type: 'audio' });
    const answered = caller.event('call:answered');
    loseNextCommit();
    await expect(callee.ask('calls.answer', { callId })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await answered).toMatchObject({ id: callId, status: 'active' });
    // The request is repeated, and the device has the call already.
    expect(await callee.ask('calls.answer', { callId })).toMatchObject({ id: callId, status: 'active' });
    const ended = callee.event('call:ended');
    loseNextCommit();
    await expect(caller.ask('calls.end', { callId })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await ended).toMatchObject({ id: callId, endReason: 'hangup' });
  });
});

describe('a call', () => {
  const failing = async () => {
    const [caller, callee] = [await Device.connect(), await Device.connect()];
    const start = () => caller.ask('calls.start', { to: callee.account.address, type: 'audio' });
    loseNextCommit();
    await expect(start()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    return { caller, callee, start };
  };

  it('that could not be started rings when it is started again at once', async () => {
    const { callee, start } = await failing();
    const incoming = callee.event('call:incoming');
    const { id } = await start();
    expect(await incoming).toMatchObject({ id });
    await callee.ask('calls.answer', { callId: id });
  });

  it('that could not be started is over soon, and can be started again', async () => {
    const { caller, callee, start } = await failing();
    expect(await caller.event('call:missed')).toMatchObject({ endReason: 'failed' });
    const incoming = callee.event('call:incoming');
    const { id } = await start();
    expect(await incoming).toMatchObject({ id, status: 'ringing' });
  });

  it('shows whether it is recorded', async () => {
    const [caller, callee] = [await Device.connect(), await Device.connect()];
    const { id: callId } = await caller.ask('calls.start', { to: callee.account.address, type: 'audio' });
    await callee.ask('calls.answer', { callId });
    for (const [name, isRecording] of [
      ['calls.startRecording', true],
      ['calls.stopRecording', false],
    ] as const) {
      const missed = callee.event('session:missed');
      loseNextCommit();
      await expect(caller.ask(name, { callId })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      await missed;
      expect(await callee.ask('calls.getActive', {})).toMatchObject([{ id: callId, isRecording }]);
    }
  });

  it('is recorded at once', async () => {
    const [caller, callee] = [await Device.connect(), await Device.connect()];
    const { id: callId } = await caller.ask('calls.start', { to: callee.account.address, type: 'audio' });
    await callee.ask('calls.answer', { callId });
    const begun = caller.event('recording:updated');
    const missed = callee.event('session:missed');
    loseNextCommit();
    await expect(caller.ask('calls.startRecording', { callId })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    await missed;
    // The owner is told when the recording begins.
    expect(await begun).toMatchObject({ roomId: callId, status: 'recording' });
  });

  it('shows that the other party is back', async () => {
    const [caller, callee] = [await Device.connect(), await Device.connect()];
    const { id: callId } = await caller.ask('calls.start', { to: callee.account.address, type: 'audio' });
    await callee.ask('calls.answer', { callId });
    const away = caller.event('call:participant:away');
    callee.socket.disconnect();
    expect(await away).toMatchObject({ isAway: true });
    const back = caller.event('call:participant:away');
    const second = await Device.connect(callee.account);
    loseNextCommit();
    await expect(second.ask('calls.rejoin', { callId })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    await second.ask('calls.rejoin', { callId });
    expect(await back).toMatchObject({ isAway: false });
  });
});
