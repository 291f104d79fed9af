import { usageMetrics } from '../../platform/metrics/metrics.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { RecordingRow } from '../recordings/tables.ts';
import { reportCall } from './accountEvents.ts';
import type { CallDeps } from './CallDeps.ts';
import { moved, notifyParties, over, type CallService } from './CallService.ts';
import { partyOf } from './CallStore.ts';
import { noSuchCall } from './refusals.ts';
import { next } from './state.ts';
import type { CallRow } from './tables.ts';

/** How long the devices of a call may take to join the room that it has become, before the media of the call is closed. */
const movingMs = 5_000;

/** A call that has become a room, before the parties know. */
export interface MovedCall {
  row: CallRow;
  recorded: RecordingRow | null;
}

type CallMovesDeps = Pick<
  CallDeps,
  'store' | 'media' | 'recordings' | 'notifier' | 'accountEvents' | 'log'
> & { calls: Pick<CallService, 'doubt'> };

/** Ends calls that become rooms. The devices of both parties then join the room by themselves. */
export class CallMoves {
  readonly #deps: CallMovesDeps;

  constructor(deps: CallMovesDeps) {
    this.#deps = deps;
  }

  /** Call when a move may have been stored although its request failed. */
  doubt(callId: string): void {
    this.#deps.calls.doubt(callId);
  }

  /**
   * The active call of a wallet. Locks it until the transaction ends.
   * @throws ParleyError NOT_FOUND, CONFLICT
   */
  async active(executor: Executor, wallet: Address, callId: string): Promise<CallRow> {
    const row = await this.#deps.store.lock(executor, callId);
    if (!row || !partyOf(row, wallet)) throw noSuchCall();
    if (row.status === 'ringing')
      throw new ParleyError('CONFLICT', 'The call is still ringing: add people when it is answered.');
    if (row.status !== 'active') throw row.movedTo ? moved(row.movedTo) : over();
    return row;
  }

  /** Ends a call of active(), in its transaction. Call announce() after it. */
  async move(executor: Executor, call: CallRow, movedTo: string): Promise<MovedCall> {
    const { store, recordings, accountEvents } = this.#deps;
    const step = next(call.status, { type: 'move' });
    if (!step) throw over();
    const { status, endReason } = step;
    const row = await store.change(executor, call, { status, endReason, endedAt: new Date(), movedTo });
    if (!row) throw new Error('a call that is locked has changed');
    const recorded = row.recordedBy ? await recordings.end(executor, row.id, 'over') : null;
    await reportCall(accountEvents, executor, row);
    return { row, recorded };
  }

  /**
   * Tells the parties, whose devices then join the room. They see and hear each other in the call until they are there. If this node dies
   * before it has closed the call's media, maintenance does.
   */
  announce({ row, recorded }: MovedCall, exceptSocket: string): void {
    const { media, recordings, notifier, log } = this.#deps;
    usageMetrics.callsEnded.inc({ reason: row.endReason ?? row.status });
    log.info({ callId: row.id, roomId: row.movedTo }, 'call became a room');
    notifyParties(notifier, row, 'call:ended', exceptSocket);
    if (recorded) recordings.ended(recorded);
    setTimeout(() => void media.closeRoom(row.id), movingMs).unref();
  }
}
