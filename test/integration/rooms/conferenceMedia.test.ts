import type { Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPeer, opus, vp8 } from '../../harness/mediaFixtures.ts';
import type { WireConferenceRoom, WireRoomSettings } from '../../../sdk/protocol/conference.ts';
import type { Source, WireParticipant } from '../../../sdk/protocol/media.ts';
import { ServerProcess } from '../../harness/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { closeSockets, code, connected, next, send, signIn } from '../support.ts';

/* What the server lets those in a room send, asked with bare requests: a client of one's own making asks for anything. */

let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start({ CALL_GRACE_SECONDS: '2' });
});
afterAll(async () => {
  closeSockets();
  await server?.dispose();
});

/** A device that has joined a room, with its media. */
class Device {
  readonly socket: Socket;
  readonly roomId: string;
  own!: WireParticipant;
  muted = false;
  readonly #heard: [string, unknown][] = [];

  static async create(): Promise<Socket> {
    return connected(server.url, (await signIn(server.url)).token);
  }

  constructor(socket: Socket, roomId: string) {
    this.socket = socket;
    this.roomId = roomId;
    socket.onAny((name: string, payload: unknown) => this.#heard.push([name, payload]));
  }

  async join(): Promise<this> {
    const joined = await answer<{ participant: WireParticipant; muted: boolean }>(
      this.socket,
      'conference.join',
      { roomId: this.roomId },
    );
    this.own = joined.participant;
    this.muted = joined.muted;
    await answer(this.socket, 'media.join', { ...this.#room, ...capabilities });
    return this;
  }

  get #room() {
    return { scope: 'conference', id: this.roomId };
  }

  produce(source: Source, more: object = {}): Promise<string> {
    const rtpParameters = source === 'camera' || source === 'screen' ? vp8() : opus();
    return code(this.socket, 'media.produce', { ...this.#room, source, rtpParameters, ...more });
  }

  ask(name: string, more: object = {}): Promise<string> {
    return code(this.socket, `conference.${name}`, { roomId: this.roomId, ...more });
  }

  closeProducer(source: Source): Promise<string> {
    return code(this.socket, 'media.closeProducer', { ...this.#room, source });
  }

  /** What the server lets flow of what it sends. */
  async flowing(): Promise<Source[]> {
    const text = 'SELECT sending FROM room_members WHERE room_id = $1 AND participant_id = $2';
    const [row] = await queryDatabase(server, text, [this.roomId, this.own.id]);
    return (row?.['sending'] as Source[]).sort();
  }

  flows(...sources: Source[]): Promise<unknown> {
    const wanted = [...sources].sort().join();
    return until(async () => (await this.flowing()).join() === wanted, `what flows is ${wanted}`);
  }

  /** The event that fits, past or to come. */
  async heard<T>(name: string, fits: (payload: T) => boolean = () => true): Promise<T> {
    const deadline = Date.now() + 30_000;
    for (;;) {
      const found = this.#heard.find(([event, payload]) => event === name && fits(payload as T));
      if (found) return found[1] as T;
      if (Date.now() > deadline) throw new Error(`no ${name}; heard ${JSON.stringify(this.#heard)}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** What it heard of somebody last. */
  last(other: Device): WireParticipant | undefined {
    return this.#heard
      .filter(([event]) => event === 'conference:participant:updated')
      .map(([, one]) => one as WireParticipant)
      .findLast(({ id }) => id === other.own.id);
  }

  /** What it hears of somebody's sending. */
  async sees(other: Device, is: Partial<WireParticipant>): Promise<void> {
    await this.heard<WireParticipant>(
      'conference:participant:updated',
      (one) =>
        one.id === other.own.id &&
        Object.entries(is).every(([key, value]) => one[key as keyof WireParticipant] === value),
    );
  }
}

const { rtpCapabilities } = newPeer('any');
const capabilities = { rtpCapabilities };

async function answer<T>(socket: Socket, name: string, payload: object): Promise<T> {
  const got = await send(socket, name, payload);
  if (!got.ok) throw new Error(`${name}: ${JSON.stringify(got.error)}`);
  return got.data as T;
}

interface RoomOptions {
  settings?: Partial<WireRoomSettings>;
  video?: boolean;
  audio?: boolean;
}

/** A room with its host and a guest in it. */
async function room(options: RoomOptions = {}): Promise<{ host: Device; guest: Device }> {
  const socket = await Device.create();
  const { id } = await answer<WireConferenceRoom>(socket, 'conference.create', {
    name: 'Room',
    maxParticipants: 5,
    ...options,
  });
  const host = await new Device(socket, id).join();
  return { host, guest: await new Device(await Device.create(), id).join() };
}

describe('what is sent in a room', () => {
  it('is told to everybody, screens with an event of their own', async () => {
    const { host, guest } = await room();
    expect(await guest.produce('microphone')).toBe('ok');
    await host.sees(guest, { audio: true, video: false });
    expect(await guest.produce('screen')).toBe('ok');
    const started = { roomId: guest.roomId, participantId: guest.own.id };
    expect(await host.heard('conference:screenshare:started')).toEqual(started);
    expect(await guest.ask('stopScreenShare')).toBe('ok');
    expect(await host.heard('conference:screenshare:stopped')).toEqual(started);
    expect(await guest.ask('muteAudio')).toBe('ok');
    await host.sees(guest, { audio: false, screen: false });
    const { participants } = await answer<WireConferenceRoom>(host.socket, 'conference.get', {
      roomId: host.roomId,
    });
    expect(participants.map(({ id, audio }) => [id, audio])).toEqual([
      [host.own.id, false],
      [guest.own.id, false],
    ]);
  });

  it('of who leaves is over, a screen with its event', async () => {
    const { host, guest } = await room();
    await guest.produce('screen');
    await host.heard('conference:screenshare:started');
    await guest.ask('leave');
    await host.heard('conference:screenshare:stopped');
    await host.heard('conference:participant:left');
    expect(await guest.produce('camera')).toBe('NOT_FOUND');
  });

  it('is nothing where a viewer would send it, also when it became one in between', async () => {
    const { host, guest } = await room();
    expect(await guest.produce('camera')).toBe('ok');
    await host.sees(guest, { video: true });
    const participantId = guest.own.id;
    expect(await host.ask('setRole', { participantId, role: 'viewer' })).toBe('ok');
    await host.sees(guest, { role: 'viewer', video: false });
    for (const source of ['camera', 'microphone', 'screen', 'screen-audio'] as const)
      expect(await guest.produce(source)).toBe('ACCESS_DENIED');
    expect(await guest.ask('unmuteAudio')).toBe('ACCESS_DENIED');
    expect(await guest.ask('startScreenShare')).toBe('ACCESS_DENIED');
    // Whatever it calls the kind of its room.
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

  it('of ten who are made viewers while they begin to send, is nothing in the end', async () => {
    const { host, guest } = await room();
    for (let round = 0; round < 10; round++) {
      const participantId = guest.own.id;
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

  it('of one that is muted or unmuted while it begins to send, is what it was told last', async () => {
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
      await (round % 2 === 0 ? guest.flows('camera') : guest.flows('camera', 'microphone'));
    }
  });

  it('begins silent with muteOnEntry, until it is unmuted', async () => {
    const { host, guest } = await room({ settings: { muteOnEntry: true } });
    expect([host.muted, guest.muted]).toEqual([false, true]);
    expect(await guest.produce('microphone', { paused: false })).toBe('ok');
    expect(await guest.produce('camera')).toBe('ok');
    await host.sees(guest, { video: true, audio: false });
    expect(await guest.ask('unmuteAudio')).toBe('ok');
    await host.sees(guest, { audio: true });
    // Sent anew, after its media was rebuilt: it stays as it was.
    expect(await guest.produce('microphone')).toBe('ok');
    expect(await guest.ask('muteAudio')).toBe('ok');
    expect(await guest.produce('microphone')).toBe('ok');
    await until(() => host.last(guest)?.audio === false, 'it is silent again');
    await guest.flows('camera');
  });

  it('is silenced by a host, and may be unmuted again by who it is', async () => {
    const { host, guest } = await room();
    await guest.produce('microphone');
    await host.sees(guest, { audio: true });
    const participantId = guest.own.id;
    expect(await guest.ask('muteParticipant', { participantId: host.own.id })).toBe('ACCESS_DENIED');
    expect(await host.ask('muteParticipant', { participantId })).toBe('ok');
    await guest.heard('conference:muted');
    await host.sees(guest, { audio: false });
    expect(await guest.ask('unmuteAudio')).toBe('ok');
  });

  it('is what the room is for', async () => {
    const { host, guest } = await room({ settings: { allowScreenShare: false } });
    expect(await guest.produce('screen')).toBe('ACCESS_DENIED');
    expect(await guest.produce('screen-audio')).toBe('ACCESS_DENIED');
    expect(await guest.ask('startScreenShare')).toBe('ACCESS_DENIED');
    expect(await host.produce('screen')).toBe('ok');
    const sound = await room({ video: false });
    expect(await sound.host.produce('camera')).toBe('ACCESS_DENIED');
    expect(await sound.guest.produce('microphone')).toBe('ok');
    const silent = await room({ audio: false });
    expect(await silent.guest.produce('microphone')).toBe('ACCESS_DENIED');
    expect(await silent.guest.ask('unmuteAudio')).toBe('ACCESS_DENIED');
  });
});

describe('a picture', () => {
  const coded = (mimeType: string, payloadType: number, parameters: object) => ({
    ...opus(),
    codecs: [{ mimeType, payloadType, clockRate: 90_000, parameters }],
  });
  const vp9 = () => coded('video/VP9', 105, { 'profile-id': 0 });
  const h264 = () => coded('video/H264', 103, { 'packetization-mode': 1, 'profile-level-id': '42e01f' });
  const both = () => ({ ...vp8(), codecs: [...vp8().codecs, ...vp9().codecs] });

  it('is in a codec that everybody can see, unless the room was made for another', async () => {
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

describe('the sound of a screen', () => {
  it('flows with the screen alone, whichever comes first, and ends with it', async () => {
    const { host, guest } = await room();
    expect(await guest.produce('screen-audio')).toBe('ok');
    await guest.produce('microphone');
    await host.sees(guest, { audio: true });
    expect(await guest.flowing()).toEqual(['microphone']);
    expect(await guest.produce('screen')).toBe('ok');
    await guest.flows('microphone', 'screen', 'screen-audio');
    // Another in its place: the sound goes on.
    await guest.produce('screen');
    await guest.produce('camera');
    await guest.flows('camera', 'microphone', 'screen', 'screen-audio');
    expect(await guest.closeProducer('screen')).toBe('ok');
    await guest.flows('camera', 'microphone');
    await guest.produce('screen');
    await guest.flows('camera', 'microphone', 'screen');
  });

  it('does not flow with a screen that is announced and held back', async () => {
    const { host, guest } = await room();
    await guest.produce('screen', { paused: true });
    await guest.produce('screen-audio');
    await guest.produce('microphone');
    await host.sees(guest, { audio: true });
    expect(await guest.flowing()).toEqual(['microphone']);
  });

  it('is silenced by a host with its sender, until they unmute themselves; not by their own muting', async () => {
    const { host, guest } = await room();
    for (const source of ['screen', 'screen-audio', 'microphone'] as const) await guest.produce(source);
    await guest.ask('muteAudio');
    await guest.flows('screen', 'screen-audio');
    await guest.ask('unmuteAudio');
    await guest.flows('microphone', 'screen', 'screen-audio');
    expect(await host.ask('muteParticipant', { participantId: guest.own.id })).toBe('ok');
    await guest.flows('screen');
    // Whatever else it asks for, and with another screen.
    await guest.produce('screen-audio', { paused: false });
    await guest.ask('stopScreenShare');
    for (const source of ['screen', 'screen-audio', 'microphone'] as const) await guest.produce(source);
    for (const name of ['unmuteVideo', 'muteAudio', 'startScreenShare']) await guest.ask(name);
    await guest.produce('camera');
    await guest.flows('camera', 'screen');
    await guest.ask('unmuteAudio');
    await guest.flows('camera', 'microphone', 'screen', 'screen-audio');
    // Who comes again is silent no longer, as with the microphone.
    await host.ask('muteParticipant', { participantId: guest.own.id });
    await guest.ask('leave');
    await guest.join();
    for (const source of ['screen', 'screen-audio'] as const) await guest.produce(source);
    await guest.flows('screen', 'screen-audio');
  });

  it('is nothing in a room without sound', async () => {
    const { guest } = await room({ audio: false });
    expect(await guest.produce('screen')).toBe('ok');
    expect(await guest.produce('screen-audio')).toBe('ACCESS_DENIED');
  });
});

describe('the media of a room', () => {
  it('is closed to who is kicked, at once and afterwards', async () => {
    const { host, guest } = await room();
    await host.ask('kick', { participantId: guest.own.id });
    await guest.heard('conference:removed');
    const at = { scope: 'conference', id: guest.roomId };
    expect(await guest.produce('camera')).toBe('NOT_FOUND');
    expect(await code(guest.socket, 'media.join', { ...at, ...capabilities })).toBe('NOT_FOUND');
  });

  it('is closed to who is not in it, and to who waits in front of it', async () => {
    const { host } = await room({ settings: { waitingRoom: false } });
    const stranger = await Device.create();
    const at = { scope: 'conference', id: host.roomId };
    expect(await code(stranger, 'media.join', { ...at, ...capabilities })).toBe('NOT_FOUND');
    const closed = await answer<WireConferenceRoom>(host.socket, 'conference.create', {
      name: 'Door',
      maxParticipants: 5,
      settings: { waitingRoom: true },
    });
    expect(await answer(stranger, 'conference.join', { roomId: closed.id })).toEqual({ state: 'waiting' });
    const door = { scope: 'conference', id: closed.id, ...capabilities };
    expect(await code(stranger, 'media.join', door)).toBe('NOT_FOUND');
    // Nor do they hear anything, until they are inside.
    const heard: string[] = [];
    stranger.onAny((name: string) => heard.push(name));
    await answer(host.socket, 'conference.join', { roomId: closed.id });
    const said = { roomId: closed.id, content: 'among us' };
    await answer(host.socket, 'conference.sendChat', said);
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
    expect(heard).toEqual(['conference:admitted']);
    await answer(stranger, 'conference.join', { roomId: closed.id });
    const hears = next(stranger, 'conference:chat:message');
    await answer(host.socket, 'conference.sendChat', said);
    await hears;
  });

  it('is over with the room', async () => {
    const { host, guest } = await room();
    await host.ask('end');
    await guest.heard('conference:ended');
    expect(await guest.produce('camera')).toBe('CONFLICT');
  });
});
