import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import type {
  RemovalReason,
  WireConferenceRoom,
  WireRoomChat,
  WireWaiter,
} from '../../sdk/protocol/conference.ts';
import type { WireAccessResult } from '../../sdk/protocol/gates.ts';
import type { RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import { silentUntil, type Expected } from '../socket/expected.ts';
import type { RequestContext, ParleySocket } from '../socket/RequestContext.ts';
import type { JobRow } from '../../platform/jobs/ScheduledJobs.ts';
import { accessDenied } from '../gates/Gates.ts';
import { KeyedGroupCommit } from '../../platform/database/GroupCommit.ts';
import { channels } from '../socket/Notifier.ts';
import { jobKinds, memberSubject, type ConferenceDeps } from './ConferenceDeps.ts';
import { mayActAsHost, mustHost } from './permissions.ts';
import { full, notInside } from './refusals.ts';
import { roomAccess } from './roomAccess.ts';
import { RoomEntries, type Entry } from './RoomEntries.ts';
import { RoomExits } from './RoomExits.ts';
import type { MemberRow, RoomRow } from './tables.ts';
import { toChat, toParticipant, toRoom, toWaiter } from './toWire.ts';

/** What somebody who joins gets of what was said. */
const chatAtJoin = 50;

type JoinRequest = RequestOf<'conference.join'>;

/** What all who come in at the same moment find. */
interface Sight {
  present: MemberRow[];
  wire: WireConferenceRoom;
  chat: WireRoomChat[];
}

/** Who has a place in a room: come in, wait in front of the door, go, are gone, are sent away. One wallet has one place. */
export class ConferenceMembership {
  readonly #deps: ConferenceDeps;
  readonly #entries: RoomEntries;
  readonly #exits: RoomExits;
  /** Read once for all who came in meanwhile: of five hundred each would read five hundred. */
  readonly #sights = new KeyedGroupCommit<null, Sight>({
    size: Infinity,
    write: async (roomId, all) => {
      const sight = await this.#look(roomId);
      return all.map(() => sight);
    },
  });

  constructor(deps: ConferenceDeps) {
    this.#deps = deps;
    this.#entries = new RoomEntries(deps);
    this.#exits = new RoomExits(deps);
    deps.jobs.on(jobKinds.gone, (row) => this.#onGone(row));
  }

  /** Takes the wallet's place in the room with this device; or waits in front of the door. Also to come back after having been away. */
  async join(
    context: RequestContext,
    socket: ParleySocket,
    request: JoinRequest,
  ): Promise<ResponseOf<'conference.join'>> {
    const { store, limits, notifier } = this.#deps;
    const { roomId } = request;
    await limits.joining.consume(context);
    await this.#askGate(await store.room(roomId), context);
    const entry = await this.#entries.enter(context, request);
    if (entry.recording) await this.#deps.recordings.go(entry.recording);
    await this.#tellOf(entry, socket, request.held ?? []);
    if (entry.wasAway && entry.after.standing === 'present') notifier.away(entry.after, false);
    return entry.verdict === 'wait' ? { state: 'waiting' } : this.#letHear(entry, socket);
  }

  /** Only now, since those who are refused are to hear nothing; and before it is looked who is there, so that nothing is missed. */
  async #letHear(
    { room: { id }, after }: Entry,
    socket: ParleySocket,
  ): Promise<ResponseOf<'conference.join'>> {
    const audience = channels.conference(id);
    await socket.join(audience);
    // As it is by now: whoever comes in while a recording begins is to know it, too.
    const { present, wire, chat } = await this.#sights.run(id, null);
    const own = present.find(({ wallet }) => wallet === after.wallet);
    if (own?.socket !== socket.id) {
      // Sent away in this very moment, before there was anything to take from this connection.
      await socket.leave(audience);
      throw notInside();
    }
    return { state: 'joined', room: wire, participant: toParticipant(own), muted: own.muted, chat };
  }

  async #look(roomId: string): Promise<Sight> {
    const { store, jobs, publicUrl } = this.#deps;
    const room = await store.room(roomId);
    const present = await store.presentIn([roomId]);
    const subjects = present.map(({ wallet }) => memberSubject(roomId, wallet));
    const expected = await jobs.findAll(jobKinds.gone, subjects);
    const isAway = ({ wallet, socket }: MemberRow) =>
      (expected.get(memberSubject(roomId, wallet)) as Expected | undefined)?.socket === socket;
    const chat = (await store.chat.read(roomId, chatAtJoin)).map(toChat);
    return { present, wire: toRoom(room, present, publicUrl, isAway), chat };
  }

  /** From the device that has the place; from another one nothing happens to it. */
  async leave(context: RequestContext, { roomId, held = [] }: RequestOf<'conference.leave'>): Promise<void> {
    const before = await this.#exits.leave(roomId, context.wallet, [context.socketId, ...held]);
    if (before) await this.#tellLeft(before, context.socketId);
    this.#deps.notifier.stopTelling(context.socketId, roomId);
  }

  /** Out, and not in again unless invited. */
  async kick(
    context: RequestContext,
    { roomId, participantId }: RequestOf<'conference.kick'>,
  ): Promise<void> {
    const { store, log } = this.#deps;
    const before = await store.inRoom(roomId, async (executor, room) => {
      await mustHost(store, executor, room, context.wallet);
      const member = await store.participant(executor, roomId, participantId);
      if (!member) throw new ParleyError('NOT_FOUND', 'There is no such participant in this room.');
      if (member.wallet === room.host)
        throw new ParleyError('CONFLICT', 'Whoever created the room can’t be sent away from it.');
      return this.#exits.vacate(executor, room, member, 'removed');
    });
    log.info({ roomId, wallet: before.wallet, by: context.wallet }, 'participant sent away');
    await this.#throwOut(before, 'kicked');
  }

  /** The gate no longer holds, or can't be asked. */
  async evict(
    roomId: string,
    wallet: Address,
    reason: Extract<RemovalReason, 'access_lost' | 'access_unknown'>,
    access: WireAccessResult | null,
  ): Promise<void> {
    const { store, log } = this.#deps;
    const before = await store.inRoom(roomId, async (executor, room) => {
      const member = await store.member(roomId, wallet, executor);
      return member?.standing === 'present' ? this.#exits.vacate(executor, room, member, 'away') : null;
    });
    if (!before) return;
    log.info({ roomId, wallet, reason }, 'participant no longer let in');
    await this.#throwOut(before, reason, access);
  }

  async waiting(context: RequestContext, roomId: string): Promise<WireWaiter[]> {
    const { store } = this.#deps;
    mayActAsHost(await store.room(roomId), await store.member(roomId, context.wallet), context.wallet);
    return (await store.waitingIn(roomId)).map(toWaiter);
  }

  /** Opens the door for somebody who waits: their device comes in by itself. @throws ParleyError ROOM_FULL */
  async admit(context: RequestContext, request: RequestOf<'conference.admit'>): Promise<void> {
    await this.#answer(context, request, 'admitted');
  }

  async deny(context: RequestContext, request: RequestOf<'conference.deny'>): Promise<void> {
    await this.#answer(context, request, 'denied');
  }

  async #answer(
    context: RequestContext,
    { roomId, walletAddress }: RequestOf<'conference.admit'>,
    answer: 'admitted' | 'denied',
  ): Promise<void> {
    const { store, notifier } = this.#deps;
    const { room, waiter } = await store.inRoom(roomId, async (executor, row) => {
      await mustHost(store, executor, row, context.wallet);
      const member = await store.member(roomId, walletAddress, executor);
      if (member?.standing !== 'waiting')
        throw new ParleyError('NOT_FOUND', 'This wallet does not wait in front of this room.');
      if (answer === 'denied') {
        await this.#exits.vacate(executor, row, member, 'removed');
      } else {
        if ((await store.countPresent(executor, roomId)) >= row.maxParticipants) throw full();
        await store.changeMember(executor, roomId, walletAddress, { isInvited: true });
      }
      return { room: row, waiter: member };
    });
    notifier.answered(waiter, answer);
    if (answer === 'denied') await notifier.waiting(room, waiter, 'left');
  }

  /** A device's connection is gone; whoever was in a room with it has a while to come back. */
  async onDisconnected(socketId: string): Promise<void> {
    for (const member of await this.#deps.store.on(socketId)) await this.expectBack(member);
  }

  /** Nothing comes from a device, or something comes again; its connection may be gone already. */
  async onSilence(socketId: string, isSilent: boolean): Promise<void> {
    const { store, notifier, graceMs } = this.#deps;
    for (const member of await store.on(socketId)) {
      const told = isSilent
        ? await this.#exits.expectBack(member, silentUntil(graceMs), true)
        : await this.#exits.heardAgain(member);
      if (told) notifier.away(told, isSilent);
    }
  }

  /** Unless it is on another connection meanwhile, or expected already. */
  async expectBack(member: MemberRow, dueAt = new Date(Date.now() + this.#deps.graceMs)): Promise<void> {
    if (!member.socket) return;
    const away = await this.#exits.expectBack(member, dueAt);
    if (away) this.#deps.notifier.away(away, true);
  }

  async #onGone({ subject, payload }: JobRow): Promise<void> {
    const [roomId, wallet] = subject.split('/') as [string, Address];
    const { socket } = payload as Expected;
    // Unless it is back on another connection meanwhile.
    const before = await this.#exits.leave(roomId, wallet, [socket]);
    if (before) await this.#tellLeft(before);
  }

  async #askGate(room: RoomRow, context: RequestContext): Promise<void> {
    if (room.status === 'ended') return;
    const access = await roomAccess(this.#deps, room, context.wallet, context.network);
    if (access.allowed) return;
    await this.evict(room.id, context.wallet, 'access_lost', access);
    throw accessDenied(access);
  }

  async #tellOf(
    { room, before, after, verdict }: Entry,
    socket: ParleySocket,
    held: string[],
  ): Promise<void> {
    const { notifier, log } = this.#deps;
    const { id: roomId } = room;
    if (verdict === 'wait') {
      if (before?.standing !== 'waiting') await notifier.waiting(room, after, 'joined');
      return;
    }
    if (before?.standing === 'waiting') await notifier.waiting(room, before, 'left');
    const former = before?.standing === 'present' ? before.socket : null;
    if (former && former !== socket.id) {
      notifier.stopTelling(former, roomId);
      if (!held.includes(former)) {
        await this.#evictMedia(after);
        notifier.replaced(former, roomId);
      }
    }
    if (verdict === 'return') return;
    notifier.joined(after);
    log.debug({ roomId, wallet: after.wallet }, 'participant joined');
  }

  async #throwOut(
    before: MemberRow,
    reason: RemovalReason,
    access: WireAccessResult | null = null,
  ): Promise<void> {
    // In this order: who comes in again as soon as it hears this is to stay in the audience then.
    this.#deps.notifier.stopTelling(before.socket, before.roomId);
    this.#deps.notifier.removed(before, reason, access);
    await this.#tellLeft(before, before.socket ?? undefined);
  }

  async #tellLeft(before: MemberRow, exceptSocket?: string): Promise<void> {
    const { store, notifier } = this.#deps;
    const { roomId, socket } = before;
    notifier.stopTelling(socket, roomId);
    if (before.standing === 'waiting') {
      await notifier.waiting(await store.room(roomId), before, 'left');
      return;
    }
    notifier.left(before, exceptSocket);
    await this.#evictMedia(before);
  }

  /** Media that can't be reached is being made anew elsewhere, and then lets in only who has a place. */
  async #evictMedia({ roomId, wallet }: MemberRow): Promise<void> {
    const { media, log } = this.#deps;
    await media
      .evict(roomId, wallet)
      .catch((err: unknown) => log.warn({ err, roomId, wallet }, 'media of one who left not closed'));
  }
}
