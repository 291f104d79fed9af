import {
  and,
  between,
  desc,
  eq,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  or,
  sql,
  type SQL,
} from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import type { CallStatus, WireCall, WireCallRecord } from '../../sdk/protocol/calls.ts';
import { roomOwners } from '../../media/cluster/tables.ts';
import { toIso, type Address } from '../../sdk/protocol/common.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import { after, type PlacedPage } from '../../platform/database/places.ts';
import { first } from '../../platform/database/first.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { LivingStore } from '../../platform/node/LivingStore.ts';
import type { Party } from './state.ts';
import { calls, type CallRow } from './tables.ts';

const running = inArray(calls.status, ['ringing', 'active']);
/** Longer than the devices of a call may take to move (`movingMs` of CallMoves). */
const movedBefore = sql`now() - interval '15 seconds'`;
const over = inArray(calls.status, ['ended', 'missed', 'declined']);
/** Calls from the wallet, and those calls to the wallet that the wallet may see. */
const isPartyOf = (wallet: Address) =>
  or(eq(calls.caller, wallet), and(eq(calls.callee, wallet), eq(calls.hidden, false)));

const callsWhere = (executor: Executor, where: SQL | undefined) => executor.select().from(calls).where(where);

/** Calls in the database. */
export class CallStore extends LivingStore {
  #onDoubt: (callId: string) => void = () => undefined;

  /** Sets what is called when a change of this call may have been stored although it failed. */
  onDoubt(handler: (callId: string) => void): void {
    this.#onDoubt = handler;
  }

  /** Runs a transaction that changes this call. */
  changing<T>(callId: string, run: (executor: Executor) => Promise<T>): Promise<T> {
    return this.transaction(run, () => this.#onDoubt(callId));
  }

  async insert(executor: Executor, row: CallRow): Promise<void> {
    await executor.insert(calls).values({ ...row, ...this.#nodesOf(row) });
  }

  /**
   * Finds a ringing call in the opposite direction, from the callee to this caller (glare). Locks the pair of wallets until the transaction
   * ends. So if they call each other at the same time, the later transaction finds the call of the earlier one.
   */
  async findGlare(executor: Executor, caller: Address, callee: Address): Promise<CallRow | null> {
    const pair = [caller, callee].sort().join();
    await executor.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${pair}, 0))`);
    return first(
      callsWhere(
        executor,
        and(
          eq(calls.status, 'ringing'),
          eq(calls.caller, callee),
          eq(calls.callee, caller),
          eq(calls.hidden, false),
        ),
      ).orderBy(calls.startedAt),
    );
  }

  /** The latest call in progress from this caller to this callee. Locks it. Requires the lock on the pair that findGlare() takes. */
  async findEarlier(executor: Executor, caller: Address, callee: Address): Promise<CallRow | null> {
    const isPair = and(eq(calls.caller, caller), eq(calls.callee, callee));
    return first(
      callsWhere(executor, and(running, isPair)).orderBy(desc(calls.startedAt)).limit(1).for('update'),
    );
  }

  async find(callId: string): Promise<CallRow | null> {
    return first(callsWhere(this.db, eq(calls.id, callId)));
  }

  /** Changes a call if its status is still as it was read. @returns null if the status has changed since */
  async change(executor: Executor, before: CallRow, changes: Partial<CallRow>): Promise<CallRow | null> {
    const unchanged = and(eq(calls.id, before.id), eq(calls.status, before.status));
    return first(
      executor
        .update(calls)
        .set({ ...changes, ...this.#nodesOf(changes), revision: sql`${calls.revision} + 1` })
        .where(unchanged)
        .returning(),
    );
  }

  async running(wallet: Address): Promise<CallRow[]> {
    return callsWhere(this.db, and(running, isPartyOf(wallet))).orderBy(desc(calls.startedAt));
  }

  /** Calls that ring for these wallets, latest first. */
  async ringingAt(wallets: Address[]): Promise<CallRow[]> {
    const ringing = and(eq(calls.status, 'ringing'), eq(calls.hidden, false));
    return callsWhere(this.db, and(ringing, inArray(calls.callee, wallets))).orderBy(desc(calls.startedAt));
  }

  /** Calls in progress in which a party's device is on this connection. */
  async runningOn(socketId: string): Promise<CallRow[]> {
    return callsWhere(
      this.db,
      and(running, or(eq(calls.callerSocket, socketId), eq(calls.calleeSocket, socketId))),
    );
  }

  /** Calls in progress in which a party's device is connected to this node. */
  async runningOnNode(nodeId: string): Promise<CallRow[]> {
    return callsWhere(this.db, and(running, or(eq(calls.callerNode, nodeId), eq(calls.calleeNode, nodeId))));
  }

  /** Calls that started, were answered or ended between these times. */
  async changedBetween(from: Date, to: Date): Promise<CallRow[]> {
    const isNew = or(between(calls.startedAt, from, to), between(calls.answeredAt, from, to));
    return callsWhere(this.db, or(and(running, isNew), between(calls.endedAt, from, to)));
  }

  /** Ended calls that still have a room on some media node, except those whose devices are moving to the room that the call has become. */
  async withRoomsLeft(): Promise<string[]> {
    const rows = await this.db
      .select({ id: calls.id })
      .from(roomOwners)
      .innerJoin(calls, eq(calls.id, roomOwners.roomId))
      .where(and(over, or(isNull(calls.movedTo), lt(calls.endedAt, movedBefore))))
      .limit(1_000);
    return rows.map(({ id }) => id);
  }

  /** Locks the call until the transaction ends. */
  async lock(executor: Executor, callId: string): Promise<CallRow | null> {
    return first(callsWhere(executor, eq(calls.id, callId)).for('update'));
  }

  async history(wallet: Address, query: RequestOf<'calls.getHistory'>): Promise<CallRow[]> {
    return this.#latest(wallet, and(over, ...historyFilters(query)), query);
  }

  async page(
    wallet: Address,
    { status, limit, before }: { status?: CallStatus | undefined } & PlacedPage,
  ): Promise<CallRow[]> {
    const isAsked = status && eq(calls.status, status);
    return this.#latest(wallet, and(isAsked, after(before, calls.startedAt, calls.id)), { limit });
  }

  /**
   * Calls of a wallet, latest first. Those from the wallet and those to it are read from one index each, in order. For one query with OR,
   * PostgreSQL would read all calls of the wallet and sort them.
   */
  async #latest(
    wallet: Address,
    where: SQL | undefined,
    { limit, offset = 0, direction, with: other }: Partial<RequestOf<'calls.getHistory'>> & { limit: number },
  ): Promise<CallRow[]> {
    const inOrder = [desc(calls.startedAt), desc(calls.id)];
    const outgoing = and(eq(calls.caller, wallet), other && eq(calls.callee, other), where);
    const isShown = eq(calls.hidden, false);
    const incoming = and(eq(calls.callee, wallet), isShown, other && eq(calls.caller, other), where);
    if (direction)
      return callsWhere(this.db, direction === 'incoming' ? incoming : outgoing)
        .orderBy(...inOrder)
        .limit(limit)
        .offset(offset);
    const latestOf = (those: SQL | undefined) =>
      callsWhere(this.db, those)
        .orderBy(...inOrder)
        .limit(offset + limit);
    // No wallet calls itself, so no call is in both.
    return unionAll(latestOf(outgoing), latestOf(incoming))
      .orderBy(...inOrder)
      .limit(limit)
      .offset(offset);
  }

  /** A connection is stored only by the node that accepted it, so it is stored with this node's id. */
  #nodesOf({ callerSocket, calleeSocket }: Partial<CallRow>): Partial<CallRow> {
    return {
      ...(callerSocket ? { callerNode: this.node.id } : {}),
      ...(calleeSocket ? { calleeNode: this.node.id } : {}),
    };
  }
}

function historyFilters(query: RequestOf<'calls.getHistory'>): (SQL | undefined)[] {
  const byStatus = {
    completed: isNotNull(calls.answeredAt),
    missed: eq(calls.status, 'missed'),
    declined: eq(calls.status, 'declined'),
  };
  return [
    query.status && byStatus[query.status],
    query.from && gte(calls.startedAt, new Date(query.from)),
    query.to && lte(calls.startedAt, new Date(query.to)),
  ];
}

export function partyOf(row: CallRow, wallet: Address): Party | null {
  if (row.caller === wallet) return 'caller';
  return row.callee === wallet && !row.hidden ? 'callee' : null;
}

/** A call as one of its two parties sees it. */
export function toCall(row: CallRow, wallet: Address): WireCall {
  const { answeredAt, endedAt } = row;
  const recordedBy = row.status === 'active' ? row.recordedBy : null;
  return {
    id: row.id,
    from: row.caller,
    to: row.callee,
    type: row.type,
    status: row.status,
    direction: row.caller === wallet ? 'outgoing' : 'incoming',
    startedAt: toIso(row.startedAt),
    answeredAt: answeredAt && toIso(answeredAt),
    endedAt: endedAt && toIso(endedAt),
    duration: answeredAt && endedAt ? Math.round((endedAt.getTime() - answeredAt.getTime()) / 1_000) : null,
    endReason: row.endReason,
    recordedBy,
    isRecording: recordedBy !== null,
    movedTo: row.movedTo,
  };
}

export function toRecord(row: CallRow, wallet: Address): WireCallRecord {
  const status = row.status === 'missed' || row.status === 'declined' ? row.status : 'completed';
  return { ...toCall(row, wallet), status };
}
