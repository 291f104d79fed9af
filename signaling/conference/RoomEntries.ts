import { isDeepStrictEqual } from 'node:util';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { Guest, PartyContext } from '../socket/RequestContext.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { KeyedGroupCommit } from '../../platform/database/GroupCommit.ts';
import type { RecordingRow } from '../recordings/tables.ts';
import { mayStayUnread } from '../gates/recheck.ts';
import { admission, type Standing, type Verdict } from './admission.ts';
import { jobKinds, memberSubject, type ConferenceDeps } from './ConferenceDeps.ts';
import { participantEvent, roomEvent, toBackendParticipant } from './accountEvents.ts';
import { gone, type MemberChanges } from './ConferenceStore.ts';
import { rootOf } from './FamilyStore.ts';
import { isOwn } from './permissions.ts';
import { full, moved, otherRoom, over, refusal, replaced } from './refusals.ts';
import { next } from './state.ts';
import type { MemberRow, RoomRow } from './tables.ts';

export interface Entry {
  room: RoomRow;
  before: MemberRow | null;
  after: MemberRow;
  /** `full` for a member that waited until now, and no longer waits. */
  verdict: Extract<Verdict, 'return' | 'enter' | 'wait' | 'full'>;
  /** Whether the wallet's device had lost its connection and the others had been told so. */
  wasAway: boolean;
  /** The recording that starts with this entry, if any. */
  recording: RecordingRow | null;
}

interface JoinAttempt {
  context: PartyContext;
  request: RequestOf<'conference.join'>;
  /** Why the gate of the room cannot be read; null if it lets the party in. */
  unreadable: ParleyError | null;
  startedAt: number;
}

interface Inside {
  /** The numbers of participants and waiting wallets; increased if a wallet is let in. */
  present: number;
  waiting: number;
  /** Those who come back from a breakout by themselves, and are counted there. */
  counted: PartyId[];
  /** The hosts who are in the room, its parent or a breakout, if the room lets only invited wallets in. */
  hosts: PartyId[];
  /** The names in the profiles of the wallets that give no name. */
  names: Map<PartyId, string>;
}

/** An admission that is decided but not stored yet. */
interface Decision {
  attempt: JoinAttempt;
  before: MemberRow | null;
  verdict: Entry['verdict'];
  changes: MemberChanges;
}

type Outcome = Entry | ParleyError;

/** The maximum number of wallets in one waiting room. */
const maxWaiting = 1_000;
/** The maximum number of entries per transaction. */
const groupSize = 100;
/** A join that has waited longer than this is refused. The SDK gives up after ten seconds. */
const patienceMs = 8_000;

/**
 * Lets wallets into rooms. All who join a room at the same time are admitted in one transaction. Separate transactions would each wait for
 * the lock on the room's row, and hold a database connection while waiting.
 */
export class RoomEntries {
  readonly #deps: ConferenceDeps;
  readonly #groups = new KeyedGroupCommit<JoinAttempt, Outcome>({
    size: groupSize,
    write: (roomId, attempt) => this.#admitAll(roomId, attempt),
  });

  constructor(deps: ConferenceDeps) {
    this.#deps = deps;
  }

  /**
   * @param unreadable why the gate of the room cannot be read; null if it lets the party in
   * @throws ParleyError with the reason of a refusal
   */
  async enter(
    context: PartyContext,
    request: RequestOf<'conference.join'>,
    unreadable: ParleyError | null,
  ): Promise<Entry> {
    const attempt = { context, request, unreadable, startedAt: performance.now() };
    const outcome = await this.#groups.run(request.roomId, attempt);
    if (outcome instanceof ParleyError) throw outcome;
    return outcome;
  }

  #admitAll(roomId: string, all: JoinAttempt[]): Promise<Outcome[]> {
    return this.#deps.store.inRoom(roomId, async (executor, room) => {
      if (room.status === 'ended') return this.#refuseAll(executor, room, all);
      const outcomes = new Map<JoinAttempt, Outcome>();
      // Devices of one wallet take turns, so that the second one sees the membership that the first one has stored.
      for (let left = all; left.length > 0; left = left.filter((attempt) => !outcomes.has(attempt)))
        for (const [attempt, outcome] of await this.#admitOnce(executor, room, firstOfEach(left)))
          outcomes.set(attempt, outcome);
      const entered = [...outcomes.values()].filter(
        (outcome): outcome is Entry => !(outcome instanceof ParleyError),
      );
      const first = entered.find(isInside);
      if (first) {
        const begun = await this.#begin(executor, room);
        for (const entry of entered) entry.room = begun.room;
        first.recording = begun.recording;
        await this.#report(executor, room, begun.room, entered);
      }
      return all.map((attempt) => outcomes.get(attempt) as Outcome);
    });
  }

  /** Refuses the joins of an ended room. Devices that were moved from it before are told where to. */
  async #refuseAll(executor: Executor, room: RoomRow, all: JoinAttempt[]): Promise<Outcome[]> {
    const wallets = all.map(({ context }) => context.wallet);
    const members = await this.#deps.store.membersOf(room.id, wallets, executor);
    return all.map(
      (attempt) => movedFrom(room, attempt, members.get(attempt.context.wallet) ?? null) ?? over(),
    );
  }

  /** @param all at most one request per wallet */
  async #admitOnce(
    executor: Executor,
    room: RoomRow,
    all: JoinAttempt[],
  ): Promise<Map<JoinAttempt, Outcome>> {
    const { store, jobs, participantTokens, profiles } = this.#deps;
    const members = await store.membersOf(
      room.id,
      all.map(({ context }) => context.wallet),
      executor,
    );
    const needsInvitation = room.settings.locked || room.settings.waitingRoom;
    const wereMoved = [...members.values()].filter(({ movedTo }) => movedTo);
    const inside = {
      counted: await store.insideFamily(
        executor,
        room.id,
        wereMoved.map(({ wallet }) => wallet),
      ),
      hosts: needsInvitation ? (await store.hostsOf(room, executor)).map(({ wallet }) => wallet) : [],
      names: await profiles.namesOf(
        executor,
        all.flatMap(({ context: { wallet, guest }, request }) =>
          guest || request.displayName ? [] : [wallet],
        ),
      ),
      present: await store.countPresent(executor, room.id),
      waiting: room.settings.waitingRoom ? await store.countWaiting(executor, room.id) : 0,
    };
    const outcomes = new Map<JoinAttempt, Outcome>();
    const decided: Decision[] = [];
    const unusable = await participantTokens.unusable(
      executor,
      all.map(({ context }) => context),
    );
    for (const attempt of all) {
      const before = members.get(attempt.context.wallet) ?? null;
      const unable = unusable.get(attempt.context);
      // Who was inside when the token expired may be moved.
      const isMoved = unable?.reason === 'token_expired' && isExpected(room, before, attempt.context);
      const refused = isInsideWith(attempt, before) || isMoved ? undefined : unable;
      const decision =
        movedFrom(room, attempt, before) ??
        refused ??
        this.#refuseUnread(room, attempt, before) ??
        decide(room, attempt, before, inside);
      if (decision instanceof ParleyError) outcomes.set(attempt, decision);
      else decided.push(decision);
    }
    const subjects = decided.map(({ attempt }) => memberSubject(room.id, attempt.context.wallet));
    const away = new Set(await jobs.cancelAll(executor, [jobKinds.gone], subjects));
    const put = await store.putMembers(
      executor,
      room.id,
      new Map(decided.map(({ attempt, changes }) => [attempt.context.wallet, changes])),
    );
    for (const { attempt, before, verdict } of decided) {
      const { wallet, guest } = attempt.context;
      const after = put.get(wallet);
      if (!after) throw new Error('an insert that updates returns its rows');
      // A participant who comes back while the gate cannot be read is checked when it would have been.
      if (verdict === 'enter' || (verdict === 'return' && !attempt.unreadable))
        await this.#checkAgain(executor, room, wallet);
      // The tokens that the guest had before it was removed stay without effect.
      if (guest && before?.standing === 'removed') await participantTokens.revokeOlder(executor, guest);
      const wasAway = away.has(memberSubject(room.id, wallet));
      outcomes.set(attempt, { room, before, after, verdict, wasAway, recording: null });
    }
    return outcomes;
  }

  /**
   * While a gate cannot be read, nobody enters, but a participant may come back, as it may stay, and go to a breakout of the room or return
   * from there.
   */
  #refuseUnread(
    room: RoomRow,
    { unreadable, context }: JoinAttempt,
    before: MemberRow | null,
  ): ParleyError | null {
    if (!unreadable) return null;
    const isThere = before?.standing === 'present' || (before && isExpected(room, before, context));
    return isThere && mayStayUnread(before.gateCheckedAt, this.#deps.recheckMs) ? null : unreadable;
  }

  async #report(executor: Executor, before: RoomRow, room: RoomRow, entered: Entry[]): Promise<void> {
    const newcomers = entered.filter(({ verdict }) => verdict === 'enter');
    const changed = entered.filter(looksDifferent);
    if (newcomers.length === 0 && changed.length === 0) return;
    await this.#deps.accountEvents.emit(executor, { id: room.id, owner: room.host }, () => [
      ...(before.status === room.status ? [] : [roomEvent('room.started', room)]),
      ...newcomers.map(({ after }) => participantEvent('participant.joined', room, after)),
      ...changed.map(({ after }) => participantEvent('participant.updated', room, after)),
    ]);
  }

  async #checkAgain(executor: Executor, room: RoomRow, wallet: PartyId): Promise<void> {
    if (!room.gate || wallet === room.host) return;
    const { jobs, recheckMs } = this.#deps;
    await jobs.set(executor, jobKinds.gate, memberSubject(room.id, wallet), fromNow(recheckMs));
  }

  /** Called when somebody enters. Cancels the end of an empty room. The first participant makes the room active. */
  async #begin(executor: Executor, room: RoomRow): Promise<Pick<Entry, 'room' | 'recording'>> {
    const { store, jobs, recordings } = this.#deps;
    await jobs.cancel(executor, jobKinds.empty, rootOf(room));
    const step = next(room.status, { type: 'join' });
    if (!step || step.status === room.status) return { room, recording: null };
    const { id: roomId, host, name: title } = room;
    const { maxDuration, record } = room.settings;
    if (maxDuration !== null)
      await jobs.set(executor, jobKinds.duration, room.id, fromNow(maxDuration * 1_000));
    const recorded = { kind: 'conference', roomId, host, title } as const;
    const recording = record ? await recordings.beginOnce(executor, recorded) : null;
    const recordedBy = recording ? host : null;
    const begun = { status: step.status, startedAt: new Date(), recordedBy };
    return { room: await store.changeRoom(executor, roomId, begun), recording };
  }
}

function decide(
  room: RoomRow,
  attempt: JoinAttempt,
  before: MemberRow | null,
  inside: Inside,
): Decision | ParleyError {
  const { context, request, startedAt } = attempt;
  const { guest, wallet } = context;
  const isHost = inside.hosts.includes(wallet);
  if (performance.now() - startedAt > patienceMs)
    return new ParleyError(
      'SERVICE_UNAVAILABLE',
      'Too many wallets are joining this room at once: try again in a moment.',
      {
        retryAfter: 1,
      },
    );
  if (guest && !isForRoom(guest, room, before, isHost)) return otherRoom();
  // The place of somebody who was moved was counted then.
  const hasPlace = isExpected(room, before, context) || inside.counted.includes(wallet);
  const verdict = admission({
    settings: room.settings,
    maxParticipants: room.maxParticipants,
    present: hasPlace ? 0 : inside.present,
    isCreator: wallet === room.host || isHost,
    standing: standingOf(guest, before),
    // The token of a guest is an invitation.
    isInvited: guest !== null || (before?.isInvited ?? false),
  });
  if (verdict === 'removed' || verdict === 'locked') return refusal(verdict);
  if (verdict === 'full') {
    if (before?.standing !== 'waiting') return full();
    // A host has let it in. It stays invited, but its device no longer waits.
    return { attempt, before, verdict, changes: { ...gone, standing: 'away' } };
  }
  const startsWaiting = verdict === 'wait' && before?.standing !== 'waiting';
  if (startsWaiting && inside.waiting >= maxWaiting) return full();
  const isOnOtherDevice =
    before?.socket && ![context.socketId, ...(request.held ?? [])].includes(before.socket);
  if (request.held && verdict === 'return' && isOnOtherDevice) return replaced();
  const profileName = inside.names.get(wallet) ?? null;
  if (verdict === 'enter') inside.present++;
  if (startsWaiting) inside.waiting++;
  const changes =
    verdict === 'wait'
      ? waiting(attempt, before, profileName)
      : isMember(room, attempt, before, { verdict, isHost, profileName });
  return { attempt, before, verdict, changes };
}

/** Whether a participant joined again and looks different since: it may use another name, and a new device sends nothing yet. */
export const looksDifferent = ({ verdict, before, after }: Entry): boolean =>
  verdict === 'return' &&
  before !== null &&
  !isDeepStrictEqual(toBackendParticipant(before), toBackendParticipant(after));

const isInside = ({ verdict }: Pick<Entry, 'verdict'>) => verdict === 'return' || verdict === 'enter';

/** Whether the guest is in the room with this token, which may have expired since. */
const isInsideWith = ({ context: { guest } }: JoinAttempt, before: MemberRow | null) =>
  before?.standing === 'present' && before.tokenId === guest?.tokenId;

/** Whether a guest's token is for this room, a host has moved the guest here, or the guest is a host of the room's parent. */
const isForRoom = ({ subjectId, tokenId }: Guest, room: RoomRow, before: MemberRow | null, isHost: boolean) =>
  subjectId === room.id ||
  (before?.isInvited === true && before.tokenId === tokenId) ||
  (isHost && subjectId === room.parentId);

/** Whether a host has moved the party to this room, and its device has not arrived yet. */
const isExpected = (room: RoomRow, before: MemberRow | null, context: PartyContext) =>
  before?.movedTo === room.id && isOwn(before, context);

/** The answer to a device that claims the membership from which a host has moved it to another room. */
const movedFrom = (room: RoomRow, { context, request }: JoinAttempt, before: MemberRow | null) =>
  request.held && before?.movedTo && before.movedTo !== room.id && isOwn(before, context)
    ? moved(before.movedTo, room.status === 'ended' ? 'ended' : 'host')
    : null;

/** A token that was created after a guest was removed lets the guest in again. */
function standingOf(guest: Guest | null, before: MemberRow | null): Standing | null {
  const isNewer = guest && before && guest.createdAt > before.changedAt;
  return before?.standing === 'removed' && isNewer ? 'away' : (before?.standing ?? null);
}

const waiting = (
  { context, request }: JoinAttempt,
  before: MemberRow | null,
  profileName: string | null,
): MemberChanges => ({
  standing: 'waiting',
  socket: context.socketId,
  displayName: request.displayName ?? profileName ?? before?.displayName ?? null,
  ...(before?.standing === 'waiting' ? { changedAt: before.changedAt } : {}),
});

function isMember(
  room: RoomRow,
  { context, request, unreadable }: JoinAttempt,
  before: MemberRow | null,
  {
    verdict,
    isHost,
    profileName,
  }: { verdict: 'return' | 'enter'; isHost: boolean; profileName: string | null },
): MemberChanges {
  const { guest } = context;
  const hasArrived = isExpected(room, before, context);
  const isCreator = context.wallet === room.host;
  const isSameDevice = before?.socket && request.held?.includes(before.socket);
  // A participant who was moved or has only reconnected keeps what a host or backend has changed. So does a guest with the same token: to
  // leave and enter again must not undo it.
  const isUnchanged =
    hasArrived || (guest ? before?.tokenId === guest.tokenId : verdict === 'return' && isSameDevice);
  const former = before?.displayName ?? null;
  // A wallet that has left and enters again gets the current name of its profile.
  const byDefault = verdict === 'return' ? (former ?? profileName) : (profileName ?? former);
  const own = guest?.displayName ?? request.displayName ?? byDefault;
  // Who comes from a call has no name yet.
  const displayName = isUnchanged ? (former ?? (hasArrived ? own : null)) : own;
  const now = new Date();
  const lastChecked = unreadable ? (before?.gateCheckedAt ?? null) : now;
  const gateCheckedAt = room.gate ? lastChecked : null;
  return {
    standing: 'present',
    socket: context.socketId,
    displayName,
    gateCheckedAt,
    movedTo: null,
    ...(isCreator || isHost ? { role: 'host' as const } : {}),
    ...(guest && !isUnchanged ? grantedTo(guest) : {}),
    ...(!guest && !isUnchanged && verdict === 'enter' ? { metadata: null } : {}),
    ...(verdict === 'return'
      ? { changedAt: before?.changedAt ?? now, ...(isSameDevice ? {} : { sending: [] }) }
      : {
          ...gone,
          socket: context.socketId,
          participantId: newId('par'),
          joinedAt: now,
          firstJoinedAt: before?.firstJoinedAt ?? now,
          leftAt: null,
          gateCheckedAt,
          muted: hasArrived
            ? (before?.muted ?? false)
            : room.settings.muteOnEntry &&
              !isCreator &&
              (isUnchanged ? before : (guest ?? before))?.role !== 'host',
        }),
  };
}

/** What the token says. */
const grantedTo = ({ role, grants, metadata, tokenId }: Guest) => ({ role, grants, metadata, tokenId });

function firstOfEach(all: JoinAttempt[]): JoinAttempt[] {
  const byWallet = new Map<PartyId, JoinAttempt>();
  for (const attempt of all)
    if (!byWallet.has(attempt.context.wallet)) byWallet.set(attempt.context.wallet, attempt);
  return [...byWallet.values()];
}

const fromNow = (ms: number) => new Date(Date.now() + ms);
