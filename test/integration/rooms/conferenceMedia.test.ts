import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { opus, vp8 } from '../../harness/media/mediaFixtures.ts';
import type { WireConferenceRoom, WireRoomSettings } from '../../../sdk/protocol/conference.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { closeSockets, code, connected, newWallet, next, signIn } from '../support.ts';
import { answer, capabilities, RoomDevice } from './RoomDevice.ts';

/* What the server allows participants to send, tested with raw requests, because a custom client can send any request. */

let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start({ CALL_GRACE_SECONDS: '2' });
});
afterAll(async () => {
  closeSockets();
  await server?.dispose();
});

const connect = async () => connected(server.url, (await signIn(server.url)).token);

interface RoomOptions {
  settings?: Partial<WireRoomSettings>;
  video?: boolean;
  audio?: boolean;
}

/** A room in which a host and a guest have joined. */
async function room(options: RoomOptions = {}): Promise<{ host: RoomDevice; guest: RoomDevice }> {
  const socket = await connect();
  const { id } = await answer<WireConferenceRoom>(socket, 'conference.create', {
    name: 'Room',
    maxParticipants: 5,
    ...options,
  });
  const host = await new RoomDevice(server, socket, id).join();
  return { host, guest: await new RoomDevice(server, await connect(), id).join() };
}

describe('media in a room', () => {
  it('is announced to all participants, screens by a separate event', async () => {
    const { host, guest } = await room();
    expect(await guest.produce('microphone')).toBe('ok');
    await host.waitForState(guest, { audio: true, video: false });
    expect(await guest.produce('screen')).toBe('ok');
    const started = { roomId: guest.roomId, participantId: guest.participant.id };
    expect(await host.events.first('conference:screenshare:started')).toEqual(started);
    expect(await guest.ask('stopScreenShare')).toBe('ok');
    expect(await host.events.first('conference:screenshare:stopped')).toEqual(started);
    expect(await guest.ask('muteAudio')).toBe('ok');
    await host.waitForState(guest, { audio: false, screen: false });
    const { participants } = await answer<WireConferenceRoom>(host.socket, 'conference.get', {
      roomId: host.roomId,
    });
    expect(participants.map(({ id, audio }) => [id, audio])).toEqual([
      [host.participant.id, false],
      [guest.participant.id, false],
    ]);
  });

  it('ends when its sender leaves, with an event for a screen', async () => {
    const { host, guest } = await room();
    await guest.produce('screen');
    await host.events.first('conference:screenshare:started');
    await guest.ask('leave');
    await host.events.first('conference:screenshare:stopped');
    await host.events.first('conference:participant:left');
    expect(await guest.produce('camera')).toBe('NOT_FOUND');
  });

  it('ends when another device of the wallet takes its place, and the others are told', async () => {
    const { host } = await room();
    const wallet = newWallet();
    const device = async () => {
      const { token } = await signIn(server.url, wallet);
      return new RoomDevice(server, await connected(server.url, token), host.roomId).join();
    };
    const laptop = await device();
    await laptop.produce('microphone');
    await laptop.produce('screen');
    await host.waitForState(laptop, { audio: true, screen: true });
    const phone = await device();
    expect(phone.participant.id).toBe(laptop.participant.id);
    await host.events.first('conference:screenshare:stopped');
    await host.waitForState(phone, { audio: false, screen: false });
    const renamed = { roomId: host.roomId, displayName: 'On the phone' };
    await answer(phone.socket, 'conference.join', renamed);
    await host.waitForState(phone, { displayName: 'On the phone' });
  });

  it('is rejected from viewers, and ends when a participant becomes a viewer', async () => {
    const { host, guest } = await room();
    expect(await guest.produce('camera')).toBe('ok');
    await host.waitForState(guest, { video: true });
    const participantId = guest.participant.id;
    expect(await host.ask('setRole', { participantId, role: 'viewer' })).toBe('ok');
    await host.waitForState(guest, { role: 'viewer', video: false });
    for (const source of ['camera', 'microphone', 'screen', 'screen-audio'] as const)
      expect(await guest.produce(source)).toBe('ACCESS_DENIED');
    expect(await guest.ask('unmuteAudio')).toBe('ACCESS_DENIED');
    expect(await guest.ask('startScreenShare')).toBe('ACCESS_DENIED');
    // The same requests fail with any other scope too.
    const rtpParameters = opus();
    for (const scope of ['call', 'stream'])
      expect(
        await code(guest.socket, 'media.produce', {
          scope,
          id: guest.roomId,
          source: 'microphone',
          rtpParameters,
        }),
      ).toBe('NOT_FOUND');
    expect(await host.ask('setRole', { participantId, role: 'participant' })).toBe('ok');
    expect(await guest.produce('camera')).toBe('ok');
  });

  it('ends when a participant becomes a viewer while starting to send', async () => {
    const { host, guest } = await room();
    for (let round = 0; round < 10; round++) {
      const participantId = guest.participant.id;
      const [sent] = await Promise.all([
        guest.produce('microphone'),
        host.ask('setRole', { participantId, role: 'viewer' }),
      ]);
      expect(['ok', 'ACCESS_DENIED']).toContain(sent);
      const at = { scope: 'conference', id: host.roomId };
      const { consumers } = await answer<{ consumers: unknown[] }>(host.socket, 'media.join', {
        ...at,
        ...capabilities,
      });
      expect(consumers).toEqual([]);
      await host.ask('setRole', { participantId, role: 'participant' });
    }
  });

  it('follows the last of simultaneous mute and produce requests', async () => {
    const { guest } = await room();
    await guest.produce('camera');
    for (let round = 0; round < 10; round++) {
      const names = round % 2 === 0 ? ['unmuteAudio', 'muteAudio'] : ['muteAudio', 'unmuteAudio'];
      await guest.closeProducer('microphone');
      await guest.ask(names[0] as string);
      expect(await Promise.all([guest.produce('microphone'), guest.ask(names[1] as string)])).toEqual([
        'ok',
        'ok',
      ]);
      await (round % 2 === 0 ? guest.waitForSending('camera') : guest.waitForSending('camera', 'microphone'));
    }
  });

  it('starts muted with muteOnEntry', async () => {
    const { host, guest } = await room({ settings: { muteOnEntry: true } });
    expect([host.muted, guest.muted]).toEqual([false, true]);
    expect(await guest.produce('microphone', { paused: false })).toBe('ok');
    expect(await guest.produce('camera')).toBe('ok');
    await host.waitForState(guest, { video: true, audio: false });
    expect(await guest.ask('unmuteAudio')).toBe('ok');
    await host.waitForState(guest, { audio: true });
    // When the microphone is produced again, as after a rebuild of the media, it keeps its state.
    expect(await guest.produce('microphone')).toBe('ok');
    expect(await guest.ask('muteAudio')).toBe('ok');
    expect(await guest.produce('microphone')).toBe('ok');
    await until(() => host.lastState(guest)?.audio === false, 'the microphone is muted again');
    await guest.waitForSending('camera');
  });

  it('can be muted by a host and unmuted by its sender', async () => {
    const { host, guest } = await room();
    await guest.produce('microphone');
    await host.waitForState(guest, { audio: true });
    const participantId = guest.participant.id;
    expect(await guest.ask('muteParticipant', { participantId: host.participant.id })).toBe('ACCESS_DENIED');
    expect(await host.ask('muteParticipant', { participantId })).toBe('ok');
    await guest.events.first('conference:muted');
    await host.waitForState(guest, { audio: false });
    expect(await guest.ask('unmuteAudio')).toBe('ok');
  });

  it('is limited to the kinds that the room allows', async () => {
    const { host, guest } = await room({ settings: { allowScreenShare: false } });
    expect(await guest.produce('screen')).toBe('ACCESS_DENIED');
    expect(await guest.produce('screen-audio')).toBe('ACCESS_DENIED');
    expect(await guest.ask('startScreenShare')).toBe('ACCESS_DENIED');
    expect(await host.produce('screen')).toBe('ok');
    const audioOnly = await room({ video: false });
    expect(await audioOnly.host.produce('camera')).toBe('ACCESS_DENIED');
    expect(await audioOnly.guest.produce('microphone')).toBe('ok');
    const videoOnly = await room({ audio: false });
    expect(await videoOnly.guest.produce('microphone')).toBe('ACCESS_DENIED');
    expect(await videoOnly.guest.ask('unmuteAudio')).toBe('ACCESS_DENIED');
  });
});

describe('the codec of a video', () => {
  const withCodec = (mimeType: string, payloadType: number, parameters: object) => ({
    ...opus(),
    codecs: [{ mimeType, payloadType, clockRate: 90_000, parameters }],
  });
  const vp9 = () => withCodec('video/VP9', 105, { 'profile-id': 0 });
  const h264 = () => withCodec('video/H264', 103, { 'packetization-mode': 1, 'profile-level-id': '42e01f' });
  const both = () => ({ ...vp8(), codecs: [...vp8().codecs, ...vp9().codecs] });

  it('must be one that every device can decode, unless the room has another', async () => {
    const { guest } = await room();
    for (const source of ['camera', 'screen'] as const)
      for (const rtpParameters of [vp9(), both()])
        expect(await guest.produce(source, { rtpParameters })).toBe('ACCESS_DENIED');
    expect(await guest.produce('camera', { rtpParameters: h264() })).toBe('ok');
    expect(await guest.produce('camera')).toBe('ok');
    const other = await room({ settings: { codec: 'vp9' } });
    expect(await other.guest.produce('camera', { rtpParameters: vp9() })).toBe('ok');
    expect(await other.host.produce('camera')).toBe('ok');
  });
});

describe('screen audio', () => {
  it('is forwarded only with its screen, in any order of starting, and ends with it', async () => {
    const { host, guest } = await room();
    expect(await guest.produce('screen-audio')).toBe('ok');
    await guest.produce('microphone');
    await host.waitForState(guest, { audio: true });
    expect(await guest.sending()).toEqual(['microphone']);
    expect(await guest.produce('screen')).toBe('ok');
    await guest.waitForSending('microphone', 'screen', 'screen-audio');
    // When another screen replaces the first, the audio continues.
    await guest.produce('screen');
    await guest.produce('camera');
    await guest.waitForSending('camera', 'microphone', 'screen', 'screen-audio');
    expect(await guest.closeProducer('screen')).toBe('ok');
    await guest.waitForSending('camera', 'microphone');
    await guest.produce('screen');
    await guest.waitForSending('camera', 'microphone', 'screen');
  });

  it('is not forwarded with a paused screen', async () => {
    const { host, guest } = await room();
    await guest.produce('screen', { paused: true });
    await guest.produce('screen-audio');
    await guest.produce('microphone');
    await host.waitForState(guest, { audio: true });
    expect(await guest.sending()).toEqual(['microphone']);
  });

  it('is muted with the microphone by a host, until the sender unmutes, but not by the sender’s own mute', async () => {
    const { host, guest } = await room();
    for (const source of ['screen', 'screen-audio', 'microphone'] as const) await guest.produce(source);
    await guest.ask('muteAudio');
    await guest.waitForSending('screen', 'screen-audio');
    await guest.ask('unmuteAudio');
    await guest.waitForSending('microphone', 'screen', 'screen-audio');
    expect(await host.ask('muteParticipant', { participantId: guest.participant.id })).toBe('ok');
    await guest.waitForSending('screen');
    // Other requests do not unmute it, nor does another screen.
    await guest.produce('screen-audio', { paused: false });
    await guest.ask('stopScreenShare');
    for (const source of ['screen', 'screen-audio', 'microphone'] as const) await guest.produce(source);
    for (const name of ['unmuteVideo', 'muteAudio', 'startScreenShare']) await guest.ask(name);
    await guest.produce('camera');
    await guest.waitForSending('camera', 'screen');
    await guest.ask('unmuteAudio');
    await guest.waitForSending('camera', 'microphone', 'screen', 'screen-audio');
    // Rejoining ends the mute, as it does for the microphone.
    await host.ask('muteParticipant', { participantId: guest.participant.id });
    await guest.ask('leave');
    await guest.join();
    for (const source of ['screen', 'screen-audio'] as const) await guest.produce(source);
    await guest.waitForSending('screen', 'screen-audio');
  });

  it('is rejected in a room without audio', async () => {
    const { guest } = await room({ audio: false });
    expect(await guest.produce('screen')).toBe('ok');
    expect(await guest.produce('screen-audio')).toBe('ACCESS_DENIED');
  });
});

describe('access to the media of a room', () => {
  it('ends immediately and permanently for a kicked participant', async () => {
    const { host, guest } = await room();
    await host.ask('kick', { participantId: guest.participant.id });
    await guest.events.first('conference:removed');
    const at = { scope: 'conference', id: guest.roomId };
    expect(await guest.produce('camera')).toBe('NOT_FOUND');
    expect(await code(guest.socket, 'media.join', { ...at, ...capabilities })).toBe('NOT_FOUND');
  });

  it('is denied to wallets outside the room and in its waiting room', async () => {
    const { host } = await room({ settings: { waitingRoom: false } });
    const stranger = await connect();
    const at = { scope: 'conference', id: host.roomId };
    expect(await code(stranger, 'media.join', { ...at, ...capabilities })).toBe('NOT_FOUND');
    const closed = await answer<WireConferenceRoom>(host.socket, 'conference.create', {
      name: 'With a waiting room',
      maxParticipants: 5,
      settings: { waitingRoom: true },
    });
    expect(await answer(stranger, 'conference.join', { roomId: closed.id })).toEqual({ state: 'waiting' });
    const media = { scope: 'conference', id: closed.id, ...capabilities };
    expect(await code(stranger, 'media.join', media)).toBe('NOT_FOUND');
    // They receive no events either until they are admitted.
    const events: string[] = [];
    stranger.onAny((name: string) => events.push(name));
    await answer(host.socket, 'conference.join', { roomId: closed.id });
    const chat = { roomId: closed.id, content: 'among us' };
    await answer(host.socket, 'conference.sendChat', chat);
    const [{ walletAddress }] = await answer<[{ walletAddress: string }]>(
      host.socket,
      'conference.getWaiting',
      {
        roomId: closed.id,
      },
    );
    const admitted = next(stranger, 'conference:admitted');
    await answer(host.socket, 'conference.admit', { roomId: closed.id, walletAddress });
    await admitted;
    expect(events).toEqual(['conference:admitted']);
    await answer(stranger, 'conference.join', { roomId: closed.id });
    const received = next(stranger, 'conference:chat:message');
    await answer(host.socket, 'conference.sendChat', chat);
    await received;
  });

  it('ends with the room', async () => {
    const { host, guest } = await room();
    await host.ask('end');
    await guest.events.first('conference:ended');
    expect(await guest.produce('camera')).toBe('CONFLICT');
  });
});

describe('reports of the quality of media', () => {
  const report = ({ socket, roomId }: RoomDevice) =>
    code(socket, 'media.report', {
      ...{ scope: 'conference', id: roomId, path: null, roundTripMs: 20, sending: null, receiving: null },
    });

  it('are refused from participants who were removed, and when the room has ended', async () => {
    const { host, guest } = await room();
    expect(await report(guest)).toBe('ok');
    expect(await host.ask('kick', { participantId: guest.participant.id })).toBe('ok');
    expect(await report(guest)).toBe('NOT_FOUND');
    expect(await report(host)).toBe('ok');
    expect(await host.ask('end')).toBe('ok');
    expect(await report(host)).toBe('NOT_FOUND');
  });

  it('are limited, because they are kept', async () => {
    const { guest } = await room();
    const answers = await Promise.all(Array.from({ length: 150 }, () => report(guest)));
    expect(new Set(answers)).toEqual(new Set(['ok', 'RATE_LIMIT_EXCEEDED']));
    const count = "SELECT count(*)::int AS n FROM quality_log WHERE subject = $1 AND kind = 'sample'";
    const isKept = async () => (await queryDatabase(server, count, [guest.roomId]))[0]?.['n'] === 120;
    await until(isKept, 'those of a minute are kept');
  });
});
