import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSuperseded } from '../../../media/room/Revisions.ts';
import type { Source } from '../../../sdk/protocol/media.ts';
import { ConferenceStore } from '../../../signaling/conference/ConferenceStore.ts';
import type { Tag } from '../../../signaling/media/peerTag.ts';
import { newPeer, opus, vp8 } from '../../harness/media/mediaFixtures.ts';
import { HeldMedia } from '../../harness/nodes/HeldMedia.ts';
import { until } from '../../harness/until.ts';
import { newWallet } from '../support.ts';
import { newBackend, RawDevice, startInProcess, type ServerInProcess } from './inProcessSupport.ts';

/*
 * A device is admitted, and then its membership changes before its request reaches the media. The server runs in this process, so that the
 * request can be held in between.
 */

const media = new HeldMedia();
const { rtpCapabilities } = newPeer('any');
let server: ServerInProcess;

beforeAll(async () => {
  server = await startInProcess();
});
afterAll(() => server?.close());

class Device extends RawDevice {
  static async connect(account = newWallet()): Promise<Device> {
    return new Device(...(await RawDevice.connected(server, account)));
  }

  async enter(roomId: string) {
    const answer = await this.ask('conference.join', { roomId, media: { rtpCapabilities } });
    if (answer.state !== 'joined') throw new Error('the device is in the waiting room');
    return answer;
  }

  produce(id: string, source: Source) {
    const rtpParameters = source === 'microphone' ? opus() : vp8();
    return this.ask('media.produce', { scope: 'conference', id, source, rtpParameters });
  }
}

/** The wallets whose peers are in the room of the last held request, with what they send. */
const present = async () =>
  new Map(
    (await media.peers()).map(
      ({ tag, sending }) => [(tag as Tag).participant.walletAddress, sending] as const,
    ),
  );

const hostAndRoom = async () => {
  const host = await Device.connect();
  const { id } = await host.ask('conference.create', { name: 'Room', maxParticipants: 10 });
  await host.enter(id);
  return { host, id };
};

const participantOf = async (host: Device, roomId: string, guest: Device) => {
  const { participants } = await host.ask('conference.get', { roomId });
  const found = participants.find(({ walletAddress }) => walletAddress === guest.account.address);
  if (!found) throw new Error('the guest is not in the room');
  return { roomId, participantId: found.id };
};

/** The two ways to join. Older SDKs use two requests. */
const ways = {
  'in one request': async (guest: Device, roomId: string) => (await guest.enter(roomId)).media !== undefined,
  'in two requests': async (guest: Device, roomId: string) => {
    await guest.ask('conference.join', { roomId });
    const joining = guest.ask('media.join', { scope: 'conference', id: roomId, rtpCapabilities });
    return joining.then(
      () => true,
      () => false,
    );
  },
};

describe.each(Object.entries(ways))('a participant who joins %s', (_way, enter) => {
  it('and is removed meanwhile never receives media', async () => {
    const { host, id } = await hostAndRoom();
    const guest = await Device.connect();
    const held = media.next('join');
    const entering = enter(guest, id);
    await held.arrived;
    await host.ask('conference.kick', await participantOf(host, id, guest));
    held.release();
    expect(isSuperseded(await held.settled)).toBe(true);
    expect(await entering).toBe(false);
    expect([...(await present()).keys()]).toEqual([host.account.address]);
    await expect(guest.ask('media.join', { scope: 'conference', id, rtpCapabilities })).rejects.toMatchObject(
      { code: 'NOT_FOUND' },
    );
  });

  it('and moves to another device meanwhile keeps the media of that device', async () => {
    const { host, id } = await hostAndRoom();
    const guest = await Device.connect();
    const held = media.next('join');
    const entering = enter(guest, id);
    await held.arrived;
    const second = await Device.connect(guest.account);
    expect((await second.enter(id)).media).toBeDefined();
    held.release();
    expect(isSuperseded(await held.settled)).toBe(true);
    expect(await entering).toBe(false);
    await second.produce(id, 'camera');
    expect(Object.fromEntries(await present())).toEqual({
      [host.account.address]: [],
      [guest.account.address]: ['camera'],
    });
  });

  it('and leaves and returns meanwhile is admitted again', async () => {
    const { host, id } = await hostAndRoom();
    const guest = await Device.connect();
    const held = media.next('join');
    const entering = enter(guest, id);
    await held.arrived;
    await guest.ask('conference.leave', { roomId: id });
    await guest.ask('conference.join', { roomId: id });
    held.release();
    expect(isSuperseded(await held.settled)).toBe(true);
    expect(await entering).toBe(true);
    expect([...(await present()).keys()]).toEqual([host.account.address, guest.account.address]);
  });
});

it('does not send what the room has ceased to allow on the way', async () => {
  const { rooms } = await newBackend(server);
  const { id } = await rooms.create({ name: 'Room' });
  const guest = await Device.connect();
  await guest.enter(id);
  const held = media.next('produce');
  const producing = guest.produce(id, 'camera');
  await held.arrived;
  await rooms.update(id, { video: false });
  held.release();
  await producing;
  const isSilent = async () => (await present()).get(guest.account.address)?.length === 0;
  await until(isSilent, 'the camera is not forwarded');
});

it('does not end what a participant sends since it may again', async () => {
  const { host, id } = await hostAndRoom();
  const guest = await Device.connect();
  await guest.enter(id);
  const target = await participantOf(host, id, guest);
  const held = media.next('closeProducer');
  const forbidding = host.ask('conference.setRole', { ...target, role: 'viewer' });
  await held.arrived;
  await host.ask('conference.setRole', { ...target, role: 'participant' });
  await guest.produce(id, 'camera');
  held.release();
  await forbidding;
  expect((await present()).get(guest.account.address)).toEqual(['camera']);
});

describe('a device that joins twice', () => {
  const joining = async () => {
    const { host, id } = await hostAndRoom();
    const guest = await Device.connect();
    await guest.ask('conference.join', { roomId: id });
    const join = () => guest.ask('media.join', { scope: 'conference', id, rtpCapabilities });
    const held = media.next('join');
    const first = join();
    first.catch(() => undefined);
    await held.arrived;
    const expectOnly = async (peerId: string) => {
      held.release();
      expect(isSuperseded(await held.settled)).toBe(true);
      await expect(first).rejects.toMatchObject({ code: 'CONFLICT' });
      const peerIds = (await media.peers()).map(({ tag, ...peer }) => {
        const { walletAddress } = (tag as Tag).participant;
        return walletAddress === guest.account.address ? peer.peerId : 'host';
      });
      expect(peerIds).toEqual(['host', peerId]);
      await guest.produce(id, 'camera');
    };
    return { host, guest, id, join, expectOnly };
  };

  it('keeps the media of its second join when the first one is late', async () => {
    const { join, expectOnly } = await joining();
    await expectOnly((await join()).peerId);
  });

  it('is not admitted again for its first join when its membership has changed', async () => {
    const { host, guest, id, join, expectOnly } = await joining();
    await host.ask('conference.muteParticipant', await participantOf(host, id, guest));
    const { peerId } = await join();
    await host.ask('conference.muteParticipant', await participantOf(host, id, guest));
    await expectOnly(peerId);
  });

  it('and leaves meanwhile has no media', async () => {
    const { host, id } = await hostAndRoom();
    const guest = await Device.connect();
    await guest.ask('conference.join', { roomId: id });
    const held = media.next('join');
    const first = guest.ask('media.join', { scope: 'conference', id, rtpCapabilities });
    first.catch(() => undefined);
    await held.arrived;
    await guest.ask('media.leave', { scope: 'conference', id });
    held.release();
    await expect(first).rejects.toMatchObject({ code: 'CONFLICT' });
    expect([...(await present()).keys()]).toEqual([host.account.address]);
  });
});

describe('a participant who publishes', () => {
  const publishing = async (source: Source) => {
    const { host, id } = await hostAndRoom();
    const guest = await Device.connect();
    await guest.enter(id);
    const target = await participantOf(host, id, guest);
    const held = media.next('produce');
    const producing = guest.produce(id, source);
    producing.catch(() => undefined);
    await held.arrived;
    const sending = async () => (await present()).get(guest.account.address);
    return { host, guest, id, target, held, producing, sending };
  };

  it('and is removed meanwhile never sends', async () => {
    const { host, target, held, producing, sending } = await publishing('camera');
    await host.ask('conference.kick', target);
    held.release();
    await expect(producing).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await sending()).toBeUndefined();
  });

  it('and becomes a viewer meanwhile never sends', async () => {
    const { host, guest, id, target, held, producing, sending } = await publishing('camera');
    await host.ask('conference.setRole', { ...target, role: 'viewer' });
    held.release();
    await expect(producing).rejects.toMatchObject({ code: 'ACCESS_DENIED', reason: 'viewer' });
    expect(await sending()).toEqual([]);
    await host.ask('conference.setRole', { ...target, role: 'participant' });
    await guest.produce(id, 'camera');
    expect(await sending()).toEqual(['camera']);
  });

  it('and is muted meanwhile sends only after unmuting', async () => {
    const { host, guest, id, target, held, producing, sending } = await publishing('microphone');
    await host.ask('conference.muteParticipant', target);
    held.release();
    await producing;
    expect(await sending()).toEqual([]);
    await guest.ask('conference.unmuteAudio', { roomId: id });
    expect(await sending()).toEqual(['microphone']);
  });

  it('and mutes itself meanwhile does not send', async () => {
    const { guest, id, held, producing, sending } = await publishing('microphone');
    await guest.ask('conference.muteAudio', { roomId: id });
    held.release();
    await producing;
    expect(await sending()).toEqual([]);
  });
});

it('a participant who unmutes while a host mutes stays muted, as the room shows', async () => {
  const { host, id } = await hostAndRoom();
  const guest = await Device.connect();
  await guest.enter(id);
  await guest.produce(id, 'microphone');
  await guest.ask('conference.muteAudio', { roomId: id });
  const held = media.next('setPaused');
  const unmuting = guest.ask('conference.unmuteAudio', { roomId: id });
  await held.arrived;
  await host.ask('conference.muteParticipant', await participantOf(host, id, guest));
  held.release();
  await unmuting;
  expect((await present()).get(guest.account.address)).toEqual([]);
  await guest.ask('conference.unmuteAudio', { roomId: id });
  expect((await present()).get(guest.account.address)).toEqual(['microphone']);
});

it('a participant who switches the camera on and off without waiting ends with what came last', async () => {
  const { id } = await hostAndRoom();
  const guest = await Device.connect();
  await guest.enter(id);
  await guest.produce(id, 'camera');
  await guest.ask('conference.muteVideo', { roomId: id });
  const held = media.next('setPaused');
  const on = guest.ask('conference.unmuteVideo', { roomId: id });
  await held.arrived;
  const off = guest.ask('conference.muteVideo', { roomId: id });
  // Long enough for a request that does not wait for the one before.
  await Promise.race([off, setTimeout(500)]);
  held.release();
  await Promise.all([on, off]);
  expect((await present()).get(guest.account.address)).toEqual([]);
});

it('a party of a call who unmutes and mutes without waiting ends muted', async () => {
  const [caller, callee] = [await Device.connect(), await Device.connect()];
  const { id: callId } = await caller.ask('calls.start', { to: callee.account.address, type: 'audio' });
  await callee.ask('calls.answer', { callId, media: { rtpCapabilities } });
  const rtpParameters = opus();
  await callee.ask('media.produce', { scope: 'call', id: callId, source: 'microphone', rtpParameters });
  await callee.ask('calls.mute', { callId });
  const held = media.next('setPaused');
  const on = callee.ask('calls.unmute', { callId });
  await held.arrived;
  const off = callee.ask('calls.mute', { callId });
  await Promise.race([off, setTimeout(500)]);
  held.release();
  await Promise.all([on, off]);
  expect((await present()).get(callee.account.address)).toEqual([]);
});

it('a participant who raises a hand while leaving is not announced again', async () => {
  const { host, id } = await hostAndRoom();
  const guest = await Device.connect();
  await guest.enter(id);
  const updated: unknown[] = [];
  host.socket.on('conference:participant:updated', (participant) => updated.push(participant));
  const { prototype } = ConferenceStore;
  const changeMember = Reflect.get(prototype, 'changeMember');
  let [arrive, release] = [() => {}, () => {}];
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  prototype.changeMember = async function (...change) {
    prototype.changeMember = changeMember;
    arrive();
    await released;
    return changeMember.apply(this, change);
  };
  const raising = guest.ask('conference.raiseHand', { roomId: id, raised: true });
  await arrived;
  await guest.ask('conference.leave', { roomId: id });
  release();
  await raising;
  await host.ask('conference.get', { roomId: id });
  expect(updated).toEqual([]);
});

describe('a stream', () => {
  const streamOf = async (host: Device) => (await host.ask('streaming.create', { title: 'Stream' })).id;

  it('does not reach a viewer who is banned while joining', async () => {
    const [host, viewer] = [await Device.connect(), await Device.connect()];
    const streamId = await streamOf(host);
    await host.ask('streaming.start', { streamId, media: { rtpCapabilities } });
    const held = media.next('join');
    const watching = viewer.ask('streaming.watch', { streamId, media: { rtpCapabilities } });
    await held.arrived;
    await host.ask('streaming.ban', { streamId, walletAddress: viewer.account.address });
    held.release();
    expect(isSuperseded(await held.settled)).toBe(true);
    expect((await watching).media).toBeUndefined();
  });

  it('keeps its newest publisher when an earlier one joins late', async () => {
    const host = await Device.connect();
    const streamId = await streamOf(host);
    const held = media.next('join');
    const early = host.ask('streaming.start', { streamId, media: { rtpCapabilities } });
    await held.arrived;
    const second = await Device.connect(host.account);
    const late = await second.ask('streaming.start', { streamId, media: { rtpCapabilities } });
    held.release();
    expect(isSuperseded(await held.settled)).toBe(true);
    expect((await early).media).toBeUndefined();
    expect((await media.peers()).map(({ peerId }) => peerId)).toEqual([late.media?.peerId]);
  });
});

it('a call keeps the device that took it over when an earlier one joins late', async () => {
  const [caller, callee] = [await Device.connect(), await Device.connect()];
  const call = await caller.ask('calls.start', { to: callee.account.address, type: 'audio' });
  const held = media.next('join');
  const answering = callee.ask('calls.answer', { callId: call.id, media: { rtpCapabilities } });
  await held.arrived;
  const second = await Device.connect(callee.account);
  const rejoined = await second.ask('calls.rejoin', { callId: call.id, media: { rtpCapabilities } });
  held.release();
  expect(isSuperseded(await held.settled)).toBe(true);
  expect((await answering).media).toBeUndefined();
  expect((await media.peers()).map(({ peerId }) => peerId)).toEqual([rejoined.media?.peerId]);
});
