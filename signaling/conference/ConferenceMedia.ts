import type { z } from 'zod';
import { defined } from '../../platform/defined.ts';
import { Turns } from '../../platform/Turns.ts';
import type { changedParticipant } from '../../sdk/protocol/conference.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { RtpParameters, Source } from '../../sdk/protocol/media.ts';
import type { RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import type { PartyContext } from '../socket/RequestContext.ts';
import { untilDone } from '../untilDone.ts';
import type { Admission, MultipartyRules, MediaScope } from '../media/MediaScope.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { participantEvent } from './accountEvents.ts';
import type { ConferenceDeps } from './ConferenceDeps.ts';
import type { MultipartyEvents } from './MultipartyEvents.ts';
import { mustBeInside, mustHost, publishingRefusal, refusedSources } from './permissions.ts';
import { denied, noSuchParticipant, over } from './refusals.ts';
import type { MemberRow, RoomRow } from './tables.ts';
import { toParticipant } from './toWire.ts';

/** What a host can change in a participant. */
export type ParticipantChanges = z.output<typeof changedParticipant>;

/** A change of a participant. */
interface Change {
  room: RoomRow;
  before: MemberRow;
  after: MemberRow;
}

/** Decides what participants may send, and changes their audio, video, shared screen, role and raised hand. */
export class ConferenceMedia implements MediaScope {
  readonly #deps: ConferenceDeps;
  /**
   * Writes of what participants' devices send, one after another, so that changes are stored in the order in which media reports them.
   */
  readonly #noting = new Turns();
  readonly #switching = new Turns();
  readonly multiparty: MultipartyRules;

  constructor(deps: ConferenceDeps, { onSpeakers, onQuality }: MultipartyEvents) {
    this.#deps = deps;
    this.multiparty = { ...this.#rules, onSpeakers, onQuality };
  }

  /** Admits the media of a device only if the device holds its wallet's membership. */
  async admit(context: PartyContext, roomId: string): Promise<Admission> {
    return admissionOf((await this.#inside(context, roomId)).member);
  }

  readonly #rules: MultipartyRules = {
    mayProduce: async (context, roomId, { source, rtpParameters }) => {
      const { room, member } = await this.#inside(context, roomId);
      mustBeAllowed(room, member, source);
      mustBeDecodable(room, rtpParameters);
      const { hushed, muted, revision } = member;
      if (source === 'screen-audio') return { paused: hushed, along: 'screen', revision };
      return { paused: source === 'microphone' && muted, revision };
    },
    onSending: (roomId, wallet, socketId, sending) => {
      const note = () => this.#note(roomId, wallet, socketId, sending);
      const onFailed = (err: unknown) =>
        this.#deps.log.warn({ err, roomId, wallet }, 'sent sources not stored yet');
      void this.#noting.run(`${roomId}/${wallet}`, () => untilDone(note, onFailed));
    },
  };

  /**
   * Pauses or resumes this device's microphone or camera, and notifies everybody. The requests about one source take turns, so that the
   * last one counts.
   */
  setSending(
    context: PartyContext,
    roomId: string,
    source: 'microphone' | 'camera',
    isSending: boolean,
  ): Promise<void> {
    const key = `${context.socketId} ${roomId} ${source}`;
    return this.#switching.run(key, () => this.#setSending(context, roomId, source, isSending));
  }

  async #setSending(
    context: PartyContext,
    roomId: string,
    source: 'microphone' | 'camera',
    isSending: boolean,
  ): Promise<void> {
    const { store, media, limits } = this.#deps;
    const { room, member } = await this.#inside(context, roomId);
    if (isSending) {
      mustBeAllowed(room, member, source);
      // Only switching on is limited. Switching off must never be refused. It needs no limit, because it sends events only after a source
      // was switched on.
      await limits.changing.consume(context);
    }
    let revision: number | undefined;
    if (source === 'microphone') {
      const changes = isSending ? { muted: false, hushed: false } : { muted: true };
      revision = (await store.changeMember(store.executor, roomId, context.wallet, changes))?.revision;
      if (isSending)
        await media.setPaused(context, roomId, { source: 'screen-audio', paused: false, revision });
    }
    await media.setPaused(context, roomId, { source, paused: !isSending, revision });
  }

  /** @throws ParleyError ACCESS_DENIED when this device may not share its screen */
  async startScreenShare(context: PartyContext, roomId: string): Promise<void> {
    const { room, member } = await this.#inside(context, roomId);
    mustBeAllowed(room, member, 'screen');
  }

  async stopScreenShare(context: PartyContext, roomId: string): Promise<void> {
    await this.#inside(context, roomId);
    for (const source of ['screen', 'screen-audio'] as const)
      await this.#deps.media.closeProducer(context, roomId, source);
  }

  /** A host mutes a participant's microphone and screen audio. The participant may unmute themselves. */
  async muteParticipant(
    context: PartyContext,
    { roomId, participantId }: RequestOf<'conference.muteParticipant'>,
  ): Promise<void> {
    const { store, notifier, media } = this.#deps;
    const muted = await store.inRoom(roomId, async (executor, room) => {
      await mustHost(store, executor, room, context);
      const found = await store.participant(executor, roomId, participantId);
      await store.changeRoom(executor, roomId);
      return store.changeMember(executor, roomId, found.wallet, { muted: true, hushed: true });
    });
    if (!muted) throw noSuchParticipant();
    notifier.muted(muted);
    await this.#enforce(muted, media.muteByHost(roomId, muted, ['microphone', 'screen-audio']));
  }

  async setRole(
    context: PartyContext,
    { roomId, participantId, role }: RequestOf<'conference.setRole'>,
  ): Promise<ResponseOf<'conference.setRole'>> {
    return toParticipant(await this.change(context, { roomId, participantId }, { role }));
  }

  /**
   * Changes a participant until it leaves. What it may no longer send ends immediately. If its right to receive changes, its device joins
   * the media again.
   */
  async change(
    context: PartyContext,
    { roomId, participantId }: RequestOf<'conference.kick'>,
    { grants, ...changes }: ParticipantChanges,
  ): Promise<MemberRow> {
    const { store } = this.#deps;
    const changed = await store.inFamilies([roomId], async (executor, family) => {
      const row = family.get(roomId) as RoomRow;
      await mustHost(store, executor, row, context);
      if (row.status === 'ended') throw over();
      const found = await store.participant(executor, roomId, participantId);
      if (found.wallet === row.host && changes.role !== undefined && changes.role !== 'host')
        throw new ParleyError(
          'CONFLICT',
          'The creator of a room always stays a host: choose another participant.',
        );
      if (grants && !found.grants) throw onlyGuests();
      // The role is one for the room, its parent and its breakouts.
      if (changes.role) await store.changeInFamily(executor, row, found.wallet, { role: changes.role });
      const write = async (before: MemberRow, given: Partial<MemberRow>): Promise<Change> => {
        const room = family.get(before.roomId) as RoomRow;
        const after = await store.changeMember(executor, room.id, before.wallet, given);
        if (!after) throw noSuchParticipant();
        await store.changeRoom(executor, room.id);
        await this.#report(executor, room, after);
        return { room, before, after };
      };
      const own = await write(found, {
        ...defined(changes),
        ...(found.grants && grants ? { grants: { ...found.grants, ...defined(grants) } } : {}),
      });
      if (!changes.role) return [own];
      // A wallet may be in several rooms of a family, with a device in each.
      const elsewhere = [...family.keys()].filter((id) => id !== roomId);
      const others: Change[] = [];
      for (const other of await store.presentAs(executor, found.wallet, elsewhere))
        others.push(await write(other, { role: changes.role }));
      return [own, ...others];
    });
    for (const change of changed) await this.#apply(change);
    return (changed[0] as Change).after;
  }

  /** Tells everybody in a room of a changed participant, and ends what it may no longer send. */
  async #apply({ room, before, after }: Change): Promise<void> {
    const { notifier, media } = this.#deps;
    const roomId = room.id;
    notifier.updated(after);
    const refused = refusedSources(room, after);
    if (refused.some((source) => !publishingRefusal(room, before, source)))
      await this.#enforce(after, media.stopSending(roomId, after, refused));
    if (before.grants?.canSubscribe !== after.grants?.canSubscribe) await media.restart(roomId, after);
  }

  /** Waits for the end of what a participant may not send. If the node of the room cannot be reached, that is repeated until it can. */
  async #enforce({ roomId, wallet }: MemberRow, ending: Promise<void>): Promise<void> {
    const { store, log } = this.#deps;
    await ending.catch((err: unknown) => {
      log.warn({ err, roomId, wallet }, 'refused media not closed yet');
      store.doubt(roomId);
    });
  }

  async raiseHand(context: PartyContext, roomId: string, handRaised: boolean): Promise<void> {
    const { store, notifier, limits } = this.#deps;
    const { room, member } = await this.#inside(context, roomId);
    if (member.handRaised === handRaised) return;
    await limits.changing.consume(context);
    const after = await store.changing([roomId], async (executor) => {
      const changed = await store.changeMember(executor, roomId, context.wallet, { handRaised });
      // It has left in the meantime.
      if (changed?.standing !== 'present') return null;
      await this.#report(executor, room, changed);
      return changed;
    });
    if (after) notifier.updated(after);
  }

  /** @throws ParleyError CONFLICT when the room has ended, NOT_FOUND when this device is not in it */
  async #inside(context: PartyContext, roomId: string): Promise<{ room: RoomRow; member: MemberRow }> {
    const { store } = this.#deps;
    const [room, member] = await Promise.all([store.room(roomId), store.own(roomId, context)]);
    return { room, member: mustBeInside(context, room, member) };
  }

  /** Reports a change of a participant to the account of the room's host. */
  #report(executor: Executor, room: RoomRow, after: MemberRow): Promise<void> {
    return this.#deps.accountEvents.emit(executor, { id: room.id, owner: room.host }, () => [
      participantEvent('participant.updated', room, after),
    ]);
  }

  async #note(roomId: string, wallet: PartyId, socketId: string, sending: Source[]): Promise<void> {
    const { store, notifier, media } = this.#deps;
    const room = await store.room(roomId);
    const changed = await store.setSending(roomId, wallet, socketId, sending, (executor, after) =>
      this.#report(executor, room, after),
    );
    if (!changed) return;
    const { before, after } = changed;
    const [was, is] = [before, after].map((row) => row.sending.includes('screen'));
    if (was !== is) notifier.screenShare(after, is ? 'started' : 'stopped');
    notifier.updated(after);
    if (sending.every((source) => before.sending.includes(source))) return;
    // The room may have ceased to allow it after the device was admitted. If it does later, it finds what is stored now.
    const refused = refusedSources(await store.room(roomId), after);
    if (sending.some((source) => refused.includes(source)))
      await this.#enforce(after, media.stopSending(roomId, after, refused));
  }
}

/** @throws ParleyError ACCESS_DENIED */
function mustBeAllowed(room: RoomRow, member: MemberRow, source: Source): void {
  const refusal = publishingRefusal(room, member, source);
  if (refusal) throw refusal;
}

const onlyGuests = () => {
  const message = 'only guests have grants. Change the role of the wallet instead';
  const details = [{ path: 'grants', code: 'guests_only', message }];
  return new ParleyError('VALIDATION_ERROR', `grants: ${message}`, { details });
};

/** How a participant's device joins the room's media. */
export const admissionOf = ({
  wallet,
  revision,
  role,
  displayName,
  participantId,
  grants,
}: MemberRow): Admission => ({
  identity: wallet,
  revision,
  role,
  displayName,
  ...(participantId ? { participantId } : {}),
  ...(grants?.canSubscribe === false ? { receives: false } : {}),
});

/**
 * Refuses video that somebody who joins later might be unable to decode. All declared codecs are checked, because the device may send any
 * of them.
 */
function mustBeDecodable({ settings }: RoomRow, { codecs }: RtpParameters): void {
  const accepted = [
    'video/vp8',
    'video/h264',
    'video/rtx',
    ...(settings.codec === 'vp9' ? ['video/vp9'] : []),
  ];
  const videoCodecs = codecs
    .map(({ mimeType }) => mimeType.toLowerCase())
    .filter((one) => !one.startsWith('audio/'));
  if (videoCodecs.some((one) => !accepted.includes(one)))
    throw denied(
      'codec_off',
      'This room accepts VP8 and H264 only: create a room with settings.codec for VP9.',
    );
}
