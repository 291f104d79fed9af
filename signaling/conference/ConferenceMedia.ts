import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { RtpParameters, Source } from '../../sdk/protocol/media.ts';
import type { RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import type { Admission, MultipartyRules, MediaScope } from '../media/MediaScope.ts';
import type { ConferenceDeps } from './ConferenceDeps.ts';
import type { MultipartyEvents } from './MultipartyEvents.ts';
import { mustHost } from './permissions.ts';
import { notInside, over } from './refusals.ts';
import type { MemberRow, RoomRow } from './tables.ts';
import { toParticipant } from './toWire.ts';

/** What those in a room may send, and what they are: sound, pictures, screens, roles, raised hands. */
export class ConferenceMedia implements MediaScope {
  readonly #deps: ConferenceDeps;
  /** What is heard of one device's media is written down in the order in which it is heard. */
  readonly #noting = new Map<string, Promise<void>>();
  readonly multiparty: MultipartyRules;

  constructor(deps: ConferenceDeps, { onSpeakers, onQuality }: MultipartyEvents) {
    this.#deps = deps;
    this.multiparty = { ...this.#rules, onSpeakers, onQuality };
  }

  /** Media may flow from and to the device that has the wallet's place. */
  async admit(context: RequestContext, roomId: string): Promise<Admission> {
    const { member } = await this.#inside(context, roomId);
    const { role, displayName, participantId } = member;
    return { identity: context.wallet, role, displayName, ...(participantId ? { participantId } : {}) };
  }

  readonly #rules: MultipartyRules = {
    mayProduce: async (context, roomId, { source, rtpParameters }) => {
      const { room, member } = await this.#inside(context, roomId);
      this.#mustBeAllowed(room, member, source);
      mustBeSeenByAll(room, rtpParameters);
      await this.#deps.limits.sending.consume(context);
      if (source === 'screen-audio') return { paused: member.hushed, along: 'screen' };
      return { paused: source === 'microphone' && member.muted };
    },
    onSending: (roomId, wallet, socketId, sending) => {
      const key = `${roomId}/${wallet}`;
      const noting = (this.#noting.get(key) ?? Promise.resolve())
        .then(() => this.#note(roomId, wallet, socketId, sending))
        .catch((err: unknown) => this.#deps.log.warn({ err, roomId, wallet }, 'not noted what is sent'))
        .finally(() => {
          if (this.#noting.get(key) === noting) this.#noting.delete(key);
        });
      this.#noting.set(key, noting);
    },
  };

  /** Sends or stops sending the sound or picture of this device; everybody is told. */
  async setSending(
    context: RequestContext,
    roomId: string,
    source: 'microphone' | 'camera',
    isSending: boolean,
  ): Promise<void> {
    const { store, media, limits } = this.#deps;
    const { room, member } = await this.#inside(context, roomId);
    if (isSending) {
      this.#mustBeAllowed(room, member, source);
      // Switching off is never refused: without being switched on in between, it tells nobody anything.
      await limits.changing.consume(context);
    }
    if (source === 'microphone') {
      const changes = isSending ? { muted: false, hushed: false } : { muted: true };
      await store.changeMember(store.executor, roomId, context.wallet, changes);
      if (isSending) await media.setPaused(context, roomId, 'screen-audio', false);
    }
    await media.setPaused(context, roomId, source, !isSending);
  }

  /** @throws ParleyError ACCESS_DENIED where this device may not share its screen */
  async startScreenShare(context: RequestContext, roomId: string): Promise<void> {
    const { room, member } = await this.#inside(context, roomId);
    this.#mustBeAllowed(room, member, 'screen');
  }

  async stopScreenShare(context: RequestContext, roomId: string): Promise<void> {
    await this.#inside(context, roomId);
    for (const source of ['screen', 'screen-audio'] as const)
      await this.#deps.media.closeProducer(context, roomId, source);
  }

  /** A host silences somebody: their microphone, and the sound of their screen. They may unmute themselves. */
  async muteParticipant(
    context: RequestContext,
    { roomId, participantId }: RequestOf<'conference.muteParticipant'>,
  ): Promise<void> {
    const { store, notifier, media } = this.#deps;
    const member = await store.inRoom(roomId, async (executor, room) => {
      await mustHost(store, executor, room, context.wallet);
      const found = await store.participant(executor, roomId, participantId);
      if (!found) throw noSuchParticipant();
      return store.changeMember(executor, roomId, found.wallet, { muted: true, hushed: true });
    });
    if (!member) throw noSuchParticipant();
    notifier.muted(member);
    for (const source of ['microphone', 'screen-audio'] as const)
      await media.muteByHost(roomId, member.wallet, source);
  }

  /** Whoever is made a viewer stops sending at once. */
  async setRole(
    context: RequestContext,
    { roomId, participantId, role }: RequestOf<'conference.setRole'>,
  ): Promise<ResponseOf<'conference.setRole'>> {
    const { store, notifier, media } = this.#deps;
    const member = await store.inRoom(roomId, async (executor, room) => {
      await mustHost(store, executor, room, context.wallet);
      if (room.status === 'ended') throw over();
      const found = await store.participant(executor, roomId, participantId);
      if (!found) throw noSuchParticipant();
      if (found.wallet === room.host && role !== 'host')
        throw new ParleyError('CONFLICT', 'Whoever created the room stays its host.');
      return store.changeMember(executor, roomId, found.wallet, { role });
    });
    if (!member) throw noSuchParticipant();
    notifier.updated(member);
    if (role === 'viewer') await media.stopSending(roomId, member.wallet);
    return toParticipant(member);
  }

  async raiseHand(context: RequestContext, roomId: string, handRaised: boolean): Promise<void> {
    const { store, notifier, limits } = this.#deps;
    const { member } = await this.#inside(context, roomId);
    if (member.handRaised === handRaised) return;
    await limits.changing.consume(context);
    const after = await store.changeMember(store.executor, roomId, context.wallet, { handRaised });
    if (after) notifier.updated(after);
  }

  /** @throws ParleyError CONFLICT, NOT_FOUND: the room is over, or this device has no place in it */
  async #inside(context: RequestContext, roomId: string): Promise<{ room: RoomRow; member: MemberRow }> {
    const { store } = this.#deps;
    const [room, member] = await Promise.all([store.room(roomId), store.member(roomId, context.wallet)]);
    if (room.status === 'ended') throw over();
    if (member?.standing !== 'present') throw notInside();
    if (member.socket !== context.socketId)
      throw new ParleyError('CONFLICT', 'Another device of this wallet is in the room: join it first.');
    return { room, member };
  }

  #mustBeAllowed(room: RoomRow, { role }: MemberRow, source: Source): void {
    if (role === 'viewer') throw denied('viewer', 'Viewers receive only.');
    const isScreen = source === 'screen' || source === 'screen-audio';
    if (isScreen && !room.settings.allowScreenShare && role !== 'host')
      throw denied('screen_share_off', 'Only hosts share their screen in this room.');
    if (source === 'camera' && !room.video) throw denied('video_off', 'This room is for sound alone.');
    const isSound = source === 'microphone' || source === 'screen-audio';
    if (isSound && !room.audio) throw denied('audio_off', 'This room is without sound.');
  }

  async #note(roomId: string, wallet: Address, socketId: string, sending: Source[]): Promise<void> {
    const { store, notifier } = this.#deps;
    const changed = await store.setSending(roomId, wallet, socketId, sending);
    if (!changed) return;
    const { before, after } = changed;
    const [was, is] = [before, after].map((row) => row.sending.includes('screen'));
    if (was !== is) notifier.screenShare(after, is ? 'started' : 'stopped');
    notifier.updated(after);
  }
}

/** Whoever joins later is to see it, too. Everything that is declared counts, as any of it may be sent. */
function mustBeSeenByAll({ settings }: RoomRow, { codecs }: RtpParameters): void {
  const seen = ['video/vp8', 'video/h264', 'video/rtx', ...(settings.codec === 'vp9' ? ['video/vp9'] : [])];
  const pictures = codecs
    .map(({ mimeType }) => mimeType.toLowerCase())
    .filter((one) => !one.startsWith('audio/'));
  if (pictures.some((one) => !seen.includes(one)))
    throw denied('codec_off', 'This room is for VP8 and H264: one for VP9 is created with settings.codec.');
}

const denied = (code: string, message: string) =>
  new ParleyError('ACCESS_DENIED', message, { details: [{ path: 'roomId', code, message }] });
const noSuchParticipant = () => new ParleyError('NOT_FOUND', 'There is no such participant in this room.');
