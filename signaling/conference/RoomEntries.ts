import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { KeyedGroupCommit } from '../../platform/database/GroupCommit.ts';
import type { RecordingRow } from '../recordings/tables.ts';
import { admission, type Verdict } from './admission.ts';
import { jobKinds, memberSubject, type ConferenceDeps } from './ConferenceDeps.ts';
import { gone, type MemberChanges } from './ConferenceStore.ts';
import { full, over, refusal, replaced } from './refusals.ts';
import { next } from './state.ts';
import type { MemberRow, RoomRow } from './tables.ts';

export interface Entry {
  room: RoomRow;
  before: MemberRow | null;
  after: MemberRow;
  verdict: Extract<Verdict, 'return' | 'enter' | 'wait'>;
  /** Its connection was lost, and the others were notified of that. */
  wasAway: boolean;
  /** The recording that begins with this entry. */
  recording: RecordingRow | null;
}

interface Asking {
  context: RequestContext;
  request: RequestOf<'conference.join'>;
  askedAt: number;
}

/** Decided, but not stored yet. */
interface Decision {
  asking: Asking;
  before: MemberRow | null;
  verdict: Entry['verdict'];
  changes: MemberChanges;
}

type Outcome = Entry | ParleyError;

/** In one waiting room. */
const maxWaiting = 1_000;
/** Entries per transaction. */
const groupSize = 100;
/** The SDK gives a join up after ten seconds. After this time it is not admitted any more. */
const patienceMs = 8_000;

/**
 * Lets wallets into rooms. One transaction admits all who join a room at the same time: separate transactions would each wait for
 * the room's row and hold a database connection while waiting.
 */
export class RoomEntries {
  readonly #deps: ConferenceDeps;
  readonly #groups = new KeyedGroupCommit<Asking, Outcome>({
    size: groupSize,
    write: (roomId, asking) => this.#letIn(roomId, asking),
  });

  constructor(deps: ConferenceDeps) {
    this.#deps = deps;
  }

  /** @throws ParleyError with the reason of a refusal */
  async enter(context: RequestContext, request: RequestOf<'conference.join'>): Promise<Entry> {
    const asking = { context, request, askedAt: performance.now() };
    const outcome = await this.#groups.run(request.roomId, asking);
    if (outcome instanceof ParleyError) throw outcome;
    return outcome;
  }

  #letIn(roomId: string, all: Asking[]): Promise<Outcome[]> {
    return this.#deps.store.inRoom(roomId, async (executor, room) => {
      if (room.status === 'ended') throw over();
      const outcomes = new Map<Asking, Outcome>();
      // Devices of one wallet take turns, so that the second sees the membership of the first.
      for (let left = all; left.length > 0; left = left.filter((asking) => !outcomes.has(asking)))
        for (const [asking, outcome] of await this.#letInOnce(executor, room, firstOfEach(left)))
          outcomes.set(asking, outcome);
      const entered = [...outcomes.values()].filter(
        (outcome): outcome is Entry => !(outcome instanceof ParleyError),
      );
      const first = entered.find(({ verdict }) => verdict !== 'wait');
      if (first) {
        const begun = await this.#begin(executor, room);
        for (const entry of entered) entry.room = begun.room;
        first.recording = begun.recording;
      }
      return all.map((asking) => outcomes.get(asking) as Outcome);
    });
  }

  /** @param all requests of different wallets */
  async #letInOnce(executor: Executor, room: RoomRow, all: Asking[]): Promise<Map<Asking, Outcome>> {
    const { store, jobs } = this.#deps;
    const members = await store.membersOf(
      room.id,
      all.map(({ context }) => context.wallet),
      executor,
    );
    const counts = {
      present: await store.countPresent(executor, room.id),
      waiting: room.settings.waitingRoom ? await store.countWaiting(executor, room.id) : 0,
    };
    const outcomes = new Map<Asking, Outcome>();
    const decided: Decision[] = [];
    for (const asking of all) {
      const decision = decide(room, asking, members.get(asking.context.wallet) ?? null, counts);
      if (decision instanceof ParleyError) outcomes.set(asking, decision);
      else decided.push(decision);
    }
    const subjects = decided.map(({ asking }) => memberSubject(room.id, asking.context.wallet));
    const away = new Set(await jobs.cancelAll(executor, [jobKinds.gone], subjects));
    const put = await store.putMembers(
      executor,
      room.id,
      new Map(decided.map(({ asking, changes }) => [asking.context.wallet, changes])),
    );
    for (const { asking, before, verdict } of decided) {
      const { wallet } = asking.context;
      const after = put.get(wallet);
      if (!after) throw new Error('an insert that updates returns its rows');
      if (verdict !== 'wait') await this.#checkAgain(executor, room, wallet);
      const wasAway = away.has(memberSubject(room.id, wallet));
      outcomes.set(asking, { room, before, after, verdict, wasAway, recording: null });
    }
    return outcomes;
  }

  async #checkAgain(executor: Executor, room: RoomRow, wallet: Address): Promise<void> {
    if (!room.gate || wallet === room.host) return;
    const { jobs, recheckMs } = this.#deps;
    await jobs.set(executor, jobKinds.gate, memberSubject(room.id, wallet), fromNow(recheckMs));
  }

  /** The room is no longer empty. The first participant makes it active. */
  async #begin(executor: Executor, room: RoomRow): Promise<Pick<Entry, 'room' | 'recording'>> {
    const { store, jobs, recordings } = this.#deps;
    await jobs.cancel(executor, jobKinds.empty, room.id);
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

/** @param counts participants and waiting wallets, to which this one is added */
function decide(
  room: RoomRow,
  asking: Asking,
  before: MemberRow | null,
  counts: { present: number; waiting: number },
): Decision | ParleyError {
  const { context, request, askedAt } = asking;
  if (performance.now() - askedAt > patienceMs)
    return new ParleyError(
      'SERVICE_UNAVAILABLE',
      'Too many wallets are joining this room at once: try again in a moment.',
      {
        retryAfter: 1,
      },
    );
  const verdict = admission({
    settings: room.settings,
    maxParticipants: room.maxParticipants,
    present: counts.present,
    isCreator: context.wallet === room.host,
    standing: before?.standing ?? null,
    isInvited: before?.isInvited ?? false,
  });
  if (verdict === 'removed' || verdict === 'locked' || verdict === 'full') return refusal(verdict);
  const isNewAtDoor = verdict === 'wait' && before?.standing !== 'waiting';
  if (isNewAtDoor && counts.waiting >= maxWaiting) return full();
  const isElsewhere = before?.socket && ![context.socketId, ...(request.held ?? [])].includes(before.socket);
  if (request.held && verdict === 'return' && isElsewhere) return replaced();
  if (verdict === 'enter') counts.present++;
  if (isNewAtDoor) counts.waiting++;
  const changes = verdict === 'wait' ? waiting(asking, before) : isMember(room, asking, before, verdict);
  return { asking, before, verdict, changes };
}

const waiting = ({ context, request }: Asking, before: MemberRow | null): MemberChanges => ({
  standing: 'waiting',
  socket: context.socketId,
  displayName: request.displayName ?? before?.displayName ?? null,
  ...(before?.standing === 'waiting' ? { changedAt: before.changedAt } : {}),
});

function isMember(
  room: RoomRow,
  { context, request }: Asking,
  before: MemberRow | null,
  verdict: 'return' | 'enter',
): MemberChanges {
  const isCreator = context.wallet === room.host;
  const displayName = request.displayName ?? before?.displayName ?? null;
  const isSameDevice = before?.socket && request.held?.includes(before.socket);
  const now = new Date();
  const gateCheckedAt = room.gate ? now : null;
  return {
    standing: 'present',
    socket: context.socketId,
    displayName,
    gateCheckedAt,
    ...(isCreator ? { role: 'host' as const } : {}),
    ...(verdict === 'return'
      ? { changedAt: before?.changedAt ?? now, ...(isSameDevice ? {} : { sending: [] }) }
      : {
          ...gone,
          socket: context.socketId,
          participantId: newId('par'),
          joinedAt: now,
          gateCheckedAt,
          muted: room.settings.muteOnEntry && !isCreator && before?.role !== 'host',
        }),
  };
}

function firstOfEach(all: Asking[]): Asking[] {
  const byWallet = new Map<Address, Asking>();
  for (const asking of all)
    if (!byWallet.has(asking.context.wallet)) byWallet.set(asking.context.wallet, asking);
  return [...byWallet.values()];
}

const fromNow = (ms: number) => new Date(Date.now() + ms);
