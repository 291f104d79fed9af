import { Turns } from '../../platform/Turns.ts';
import { usageMetrics } from '../../platform/metrics/metrics.ts';
import type { CallStatus, WireCall, WireCallRecord } from '../../sdk/protocol/calls.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { Source } from '../../sdk/protocol/media.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { Notifier } from '../socket/Notifier.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import { Doubts } from '../Doubts.ts';
import { silentUntil, type Expected } from '../socket/expected.ts';
import type { JobRow } from '../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { PlacedPage } from '../../platform/database/places.ts';
import type { Admission, MediaScope } from '../media/MediaScope.ts';
import { reportCall } from './accountEvents.ts';
import type { AwayParties } from './AwayParties.ts';
import { isRunning, jobKinds, otherOf, type CallDeps } from './CallDeps.ts';
import { partyOf, toCall, toRecord } from './CallStore.ts';
import { noSuchCall } from './refusals.ts';
import { next, type CallEvent, type Party, type Transition } from './state.ts';
import { GroupCommit, handshakePauseMs } from '../../platform/database/GroupCommit.ts';
import type { CallRow } from './tables.ts';

/** Why a call stopped ringing, as sent to devices that got a push. */
const outcomeOf = { active: 'answered', ended: 'ended', missed: 'missed', declined: 'declined' } as const;
const eventsOf = {
  active: 'call:answered',
  ended: 'call:ended',
  missed: 'call:missed',
  declined: 'call:declined',
} as const;

type NewCall = Pick<RequestOf<'calls.start'>, 'to' | 'type'>;
type Device = Pick<RequestContext, 'socketId' | 'sessionId'>;
type Deadline = { kind: string; subject: string };

/** The rules of calls: permission, state and events. */
export class CallService implements MediaScope {
  readonly #deps: CallDeps;
  readonly #away: AwayParties;
  readonly #doubts = new Doubts((callId) => this.#announceAgain(callId), 0);
  /** Calls that may ring although the request that started them failed. They end, unless that request is repeated before. */
  readonly #failed = new Doubts((callId) => this.#applyIfStill(callId, { type: 'fail' }), 0);
  readonly #switching = new Turns();
  /** Batches the queries of devices that connect at the same time. */
  readonly #ringing = new GroupCommit<Address, CallRow[]>({
    size: 200,
    pauseMs: handshakePauseMs,
    write: async (wallets) => {
      const rows = await this.#deps.store.ringingAt(wallets);
      return wallets.map((wallet) => rows.filter(({ callee }) => callee === wallet));
    },
  });

  constructor(deps: CallDeps, away: AwayParties) {
    this.#deps = deps;
    this.#away = away;
    deps.store.onDoubt((callId) => this.doubt(callId));
    deps.jobs.on(jobKinds.ringing, ({ subject }) => this.#applyIfStill(subject, { type: 'timeout' }));
    deps.jobs.on(jobKinds.gone, (row) => this.#onGone(row));
  }

  close(): void {
    this.#doubts.close();
    this.#failed.close();
  }

  /** Call when a change of a call may have been stored although its request failed. */
  doubt(callId: string): void {
    this.#doubts.add(callId);
  }

  /**
   * Repeats the effects of a call's last change, in case the node that stored the change died before it had closed the call's room and
   * notified the devices.
   */
  async repeat(callId: string): Promise<void> {
    const { store, notifier } = this.#deps;
    const row = await store.find(callId);
    if (!row) return;
    if (row.status !== 'ringing') {
      if (!isRunning(row)) await this.#deps.media.closeRoom(callId);
      notifyParties(notifier, row, eventsOf[row.status]);
    } else if ((await this.#openRoom(row)) && !row.hidden) {
      notifier.toWallet(row.callee, 'call:incoming', toCall(row, row.callee));
    }
  }

  /** Announces what may have changed in a call, with events that may safely arrive twice. */
  async #announceAgain(callId: string): Promise<void> {
    await this.repeat(callId);
    const row = await this.#deps.store.find(callId);
    if (row?.status !== 'active') return;
    await this.#deps.recordings.goIfHeld(callId);
    await this.#away.notifyAgain(row);
    // Whether the call is recorded, the devices read themselves.
    for (const wallet of [row.caller, row.callee]) this.#deps.notifier.toWallet(wallet, 'session:missed', {});
  }

  /** Opens the call's room, and closes it again if the call has ended in the meantime. @returns whether the call is still ringing */
  async #openRoom({ id }: CallRow): Promise<boolean> {
    const { store, media } = this.#deps;
    await media.openRoom(id);
    const row = await store.find(id);
    if (!row || !isRunning(row)) await this.#deps.media.closeRoom(id);
    return row?.status === 'ringing';
  }

  /** Rings the callee. If the callee is already calling this wallet, answers that call instead (glare). */
  async start(context: RequestContext, { to, type }: NewCall): Promise<CallRow> {
    if (to === context.wallet)
      throw new ParleyError('VALIDATION_ERROR', 'to: a wallet cannot call itself; name another wallet.');
    const { limits, blockList, store } = this.#deps;
    await limits.perCaller.consume(context);
    const hidden = await blockList.has(to, context.wallet);
    await limits.perCallee.consume({ from: context, to });
    const id = newId('call');
    const { row, is } = await store.transaction(
      async (executor) => {
        const existing = await store.findGlare(executor, context.wallet, to);
        if (existing) return { row: existing, is: 'glare' };
        const earlier = await this.#again(executor, context, to);
        if (earlier) return earlier;
        return { row: await this.#insert(executor, context, { id, to, type }, hidden), is: 'new' };
      },
      () => this.#failed.add(id),
    );
    if (is === 'glare') return this.#answerGlare(context, row.id, { to, type });
    // The callee was told that the caller is away.
    if (is === 'back') this.#away.notify(row, 'caller', false);
    // A call whose first request failed has not rung yet.
    if (is === 'new' || this.#failed.delete(row.id)) await this.#ring(context, row);
    return row;
  }

  /**
   * If the wallet is already calling this callee, for example after a double click or a reload, moves that call to this device. So does a
   * call that the callee has answered, unless the wallet talks on another device: the answer to the request that started it may have been
   * lost with the connection.
   */
  async #again(
    executor: Executor,
    { wallet, socketId }: RequestContext,
    to: Address,
  ): Promise<{ row: CallRow; is: 'again' | 'back' } | null> {
    const { store } = this.#deps;
    const earlier = await store.findEarlier(executor, wallet, to);
    if (!earlier) return null;
    if (earlier.callerSocket === socketId) return { row: earlier, is: 'again' };
    const wasAway = await this.#away.cancel(executor, earlier.id, 'caller');
    if (earlier.status === 'active' && !wasAway) return null;
    const row = await store.change(executor, earlier, { callerSocket: socketId });
    return row && { row, is: row.status === 'active' ? 'back' : 'again' };
  }

  async #insert(
    executor: Executor,
    context: RequestContext,
    { id, to, type }: NewCall & Pick<CallRow, 'id'>,
    hidden: boolean,
  ): Promise<CallRow> {
    const { store, jobs, pushes, ringMs } = this.#deps;
    const row: CallRow = {
      id,
      caller: context.wallet,
      callee: to,
      type,
      status: 'ringing',
      startedAt: new Date(),
      answeredAt: null,
      endedAt: null,
      endReason: null,
      hidden,
      callerSocket: context.socketId,
      calleeSocket: null,
      callerNode: null,
      calleeNode: null,
      recordedBy: null,
      movedTo: null,
      revision: 0,
    };
    await store.insert(executor, row);
    const expiresAt = new Date(row.startedAt.getTime() + ringMs);
    await jobs.set(executor, jobKinds.ringing, row.id, expiresAt);
    const offer = { wallet: to, kind: 'call', subject: row.id, from: row.caller, type, expiresAt } as const;
    if (!hidden) await pushes.offer(executor, offer);
    await reportCall(this.#deps.accountEvents, executor, row);
    return row;
  }

  /** Rings the callee's devices. Opens the room first, so that answering the call takes one round trip less. */
  async #ring(context: RequestContext, row: CallRow): Promise<void> {
    const { notifier, log } = this.#deps;
    try {
      // In the meantime, the callee may have called this wallet and thereby answered this call (glare). Then the call must not ring.
      const rings = await this.#openRoom(row);
      if (rings && !row.hidden) notifier.toWallet(row.callee, 'call:incoming', toCall(row, row.callee));
    } catch (error) {
      await this.#apply(row.id, { type: 'fail' }, context);
      throw error;
    }
    log.info({ callId: row.id, type: row.type }, 'call rings');
  }

  async #answerGlare(context: RequestContext, callId: string, request: NewCall): Promise<CallRow> {
    try {
      return await this.#apply(callId, { type: 'answer' }, context);
    } catch (error) {
      // The other call ended at the same time, so there is nothing to answer: start a new call.
      if (error instanceof ParleyError && error.code === 'CONFLICT') return this.start(context, request);
      throw error;
    }
  }

  /** The callee's first device to answer gets the call. */
  async answer(context: RequestContext, callId: string): Promise<CallRow> {
    const { row } = await this.#ownCall(context.wallet, callId, 'callee');
    // The device repeats its request, because the answer to the first one was lost.
    if (row.status === 'active' && row.calleeSocket === context.socketId) return row;
    return this.#apply(callId, { type: 'answer' }, context);
  }

  async decline(context: RequestContext, callId: string, reason: string): Promise<void> {
    await this.#ownCall(context.wallet, callId, 'callee');
    await this.#apply(callId, { type: 'decline', reason }, context);
  }

  async end(context: RequestContext, callId: string): Promise<void> {
    const { party } = await this.#ownCall(context.wallet, callId);
    await this.#apply(callId, { type: 'end', by: party }, context);
  }

  /** Ends a call for a backend, or declines it if it rings for the wallet. A call that is over stays as it is. */
  async endFor(wallet: Address, callId: string): Promise<CallRow> {
    const { row, party } = await this.#ownCall(wallet, callId);
    if (!isRunning(row)) return row;
    const isDeclined = row.status === 'ringing' && party === 'callee';
    await this.#applyIfStill(
      callId,
      isDeclined ? { type: 'decline', reason: 'declined' } : { type: 'end', by: party },
    );
    // Reads the call again: it may have been answered at the same time.
    return this.endFor(wallet, callId);
  }

  /** A call of the wallet, in any state. @throws ParleyError NOT_FOUND */
  async get(wallet: Address, callId: string): Promise<CallRow> {
    return (await this.#ownCall(wallet, callId)).row;
  }

  /** The calls of a wallet in both directions and in any state, latest first. */
  page(wallet: Address, query: { status?: CallStatus | undefined } & PlacedPage): Promise<CallRow[]> {
    return this.#deps.store.page(wallet, query);
  }

  /**
   * Pauses or resumes this device's microphone or camera, and notifies the other party. The requests about one source take turns, so that
   * the last one counts.
   */
  setSending(context: RequestContext, callId: string, source: Source, sending: boolean): Promise<void> {
    return this.#switching.run(`${context.socketId} ${callId} ${source}`, async () => {
      const { row } = await this.#ownCall(context.wallet, callId);
      if (!isRunning(row)) throw over();
      await this.#deps.media.setPaused(context, callId, { source, paused: !sending });
    });
  }

  async history(context: RequestContext, query: RequestOf<'calls.getHistory'>): Promise<WireCallRecord[]> {
    const rows = await this.#deps.store.history(context.wallet, query);
    return rows.map((row) => toRecord(row, context.wallet));
  }

  async active(wallet: Address): Promise<WireCall[]> {
    const rows = await this.#deps.store.running(wallet);
    return rows.map((row) => toCall(row, wallet));
  }

  /** Makes this device the wallet's device in the call, in place of the previous one. */
  async rejoin(context: RequestContext, request: RequestOf<'calls.rejoin'>): Promise<CallRow> {
    const { callId, held } = request;
    const { store } = this.#deps;
    const { row, party } = await this.#ownCall(context.wallet, callId);
    const current = row[`${party}Socket`];
    const isOnOther = held && current && !held.includes(current);
    if (!isRunning(row)) throw row.movedTo && !isOnOther ? moved(row.movedTo) : over();
    if (row.status === 'ringing' && party === 'callee')
      throw new ParleyError('CONFLICT', 'The call is still ringing: answer it first.');
    if (isOnOther) {
      throw new ParleyError(
        'CONFLICT',
        'Another device of this wallet has taken over the call: rejoin it from the app to move it here.',
      );
    }
    let wasAway = false;
    let isOtherAway = false;
    const bound = await store.changing(callId, async (executor) => {
      const now = await store.lock(executor, callId);
      // The call has changed, or another device has taken it over, since it was read.
      if (now?.revision !== row.revision) return null;
      const changed = await store.change(executor, row, { [`${party}Socket`]: context.socketId });
      if (!changed) return null;
      wasAway = await this.#away.cancel(executor, callId, party);
      isOtherAway = await this.#away.has(executor, callId, otherOf(party));
      return changed;
    });
    // Check everything again.
    if (!bound) return this.rejoin(context, request);
    // While a call rings, the callee is told nothing else, and never of a caller whom it has blocked.
    if (wasAway && bound.status === 'active') this.#away.notify(bound, party, false);
    // The other party may have gone away while this device could not be notified.
    if (isOtherAway) this.#away.notify(bound, otherOf(party), true);
    return bound;
  }

  /** Called when a device connects. Calls that are ringing for its wallet then ring on this device too. */
  async onConnected(context: RequestContext): Promise<void> {
    for (const row of await this.#ringing.run(context.wallet))
      this.#deps.notifier.toSocket(context.socketId, 'call:incoming', toCall(row, context.wallet));
  }

  /** Called when a device has lost its connection. It stays in its call for the grace period. */
  async onDisconnected(socketId: string): Promise<void> {
    const rows = await this.#deps.store.runningOn(socketId);
    await Promise.all(rows.map((row) => this.#away.expectBack(row, partyWith(row, socketId))));
  }

  /** Called when a device goes silent or answers again. Its connection may already be closed. */
  async onSilence(socketId: string, isSilent: boolean): Promise<void> {
    const rows = await this.#deps.store.runningOn(socketId);
    for (const row of rows) {
      const party = partyWith(row, socketId);
      if (isSilent) await this.#away.expectBack(row, party, silentUntil(this.#deps.graceMs), true);
      else await this.#away.answersAgain(row, party);
    }
  }

  /** Admits the media of a device only if the device started, answered or rejoined the call. */
  async admit(context: RequestContext, callId: string): Promise<Admission> {
    const { row, party } = await this.#ownCall(context.wallet, callId);
    if (!isRunning(row)) throw over();
    if (row[`${party}Socket`] !== context.socketId) {
      throw new ParleyError(
        'CONFLICT',
        'Another device of this wallet has the call: answer or rejoin it first.',
      );
    }
    return admissionOf(row, context.wallet);
  }

  async #ownCall(wallet: Address, callId: string, must?: Party): Promise<{ row: CallRow; party: Party }> {
    const row = await this.#deps.store.find(callId);
    const party = row && partyOf(row, wallet);
    if (!row || !party) throw noSuchCall();
    if (must && party !== must)
      throw new ParleyError('CONFLICT', `Only the ${must} of this call can do this.`);
    return { row, party };
  }

  /**
   * Performs one transition of the call: stores the next state, then updates the media, then sends the events.
   * @param deadline the job whose deadline has passed. Nothing happens if the deadline was changed or cancelled since.
   * @throws ParleyError CONFLICT
   */
  async #apply(callId: string, event: CallEvent, by: Device | null, deadline?: Deadline): Promise<CallRow> {
    const { store, jobs, pushes, recordings, accountEvents, log } = this.#deps;
    for (;;) {
      const before = await store.find(callId);
      const step = before && next(before.status, event);
      if (!before || !step) throw over();
      const isEnd = step.status !== 'active';
      const { after, recorded, isCallerAway } = await store.changing(callId, async (executor) => {
        if (deadline) {
          await store.lock(executor, callId);
          if (!(await jobs.isDue(deadline.kind, deadline.subject, executor))) throw over();
        }
        const changed = await store.change(executor, before, {
          status: step.status,
          endReason: step.endReason,
          ...(isEnd
            ? { endedAt: new Date() }
            : { answeredAt: new Date(), calleeSocket: by?.socketId ?? null }),
        });
        const offered = { wallet: before.callee, kind: 'call', subject: callId } as const;
        const outcome = outcomeOf[step.status as keyof typeof outcomeOf];
        if (changed && before.status === 'ringing') {
          // After the call, in the order in which a deadline locks both. Otherwise, each could wait for the other.
          await jobs.cancel(executor, jobKinds.ringing, callId);
          await pushes.over(executor, offered, outcome, by?.sessionId);
        }
        const isRecorded = isEnd && changed?.recordedBy;
        const recorded = isRecorded ? await recordings.end(executor, callId, 'over') : null;
        if (changed) await reportCall(accountEvents, executor, changed);
        // While the call rang, the callee was not told.
        const isCallerAway = !isEnd && (await this.#away.has(executor, callId, 'caller'));
        return { after: changed, recorded, isCallerAway };
      });
      // Another request changed the call first: apply the event to the new state.
      if (!after) continue;
      log.info({ callId, status: after.status, endReason: after.endReason }, 'call changed');
      if (recorded) recordings.ended(recorded);
      if (isEnd) usageMetrics.callsEnded.inc({ reason: after.endReason ?? after.status });
      if (isEnd) await this.#deps.media.closeRoom(callId);
      notifyParties(this.#deps.notifier, after, step.event, by?.socketId);
      if (isCallerAway) this.#away.notify(after, 'caller', true);
      return after;
    }
  }

  async #onGone({ subject, payload }: JobRow): Promise<void> {
    const [callId = '', party] = subject.split('/') as [string, Party];
    const row = await this.#deps.store.find(callId);
    // The party is back on another connection.
    if (!row || row[`${party}Socket`] !== (payload as Expected).socket) return;
    await this.#applyIfStill(callId, { type: 'gone', party }, { kind: jobKinds.gone, subject });
  }

  /** Applies the event of a deadline, unless it no longer fits the call's state. */
  async #applyIfStill(callId: string, event: CallEvent, deadline?: Deadline): Promise<void> {
    await this.#apply(callId, event, null, deadline).catch((error: unknown) => {
      if (!(error instanceof ParleyError && error.code === 'CONFLICT')) throw error;
    });
  }
}

/** Sends the state of a call to the devices of both parties. A callee that has blocked the caller gets nothing. */
export function notifyParties(
  notifier: Notifier,
  row: CallRow,
  event: Transition['event'],
  exceptSocket?: string,
): void {
  for (const wallet of row.hidden ? [row.caller] : [row.caller, row.callee])
    notifier.toWallet(wallet, event, toCall(row, wallet), { exceptSocket });
}

const partyWith = (row: CallRow, socketId: string): Party =>
  row.callerSocket === socketId ? 'caller' : 'callee';
export const over = () =>
  new ParleyError(
    'CONFLICT',
    'The call is not in a state for this: it has ended, or another device was faster.',
    { reason: 'call_over' },
  );

/** The answer to those who claim a call that has become a room. */
export const moved = (movedTo: string) =>
  new ParleyError('CONFLICT', 'The call has become a room: join it.', {
    reason: 'moved',
    extra: { movedTo, movedBy: 'host' },
  });

/** How a party's device joins the call's media. */
export const admissionOf = (row: CallRow, wallet: Address): Admission => ({
  identity: wallet,
  revision: row.revision,
  role: partyOf(row, wallet) === 'caller' ? 'host' : 'participant',
  displayName: null,
});
