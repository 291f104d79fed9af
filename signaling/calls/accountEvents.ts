import type { Executor } from '../../platform/database/Executor.ts';
import { toIso } from '../../sdk/protocol/common.ts';
import type { WireEventCall } from '../../sdk/protocol/webhookData.ts';
import type { AccountEvents } from '../events/AccountEvents.ts';
import type { CallRow } from './tables.ts';

/** A declined call has ended too: its status says how. */
const types = {
  ringing: 'call.ringing',
  active: 'call.answered',
  ended: 'call.ended',
  declined: 'call.ended',
  missed: 'call.missed',
} as const;

/** Reports the state of a call to the accounts of both parties. A call that the callee never sees is reported to the caller only. */
export async function reportCall(
  accountEvents: AccountEvents,
  executor: Executor,
  row: CallRow,
): Promise<void> {
  const owners = row.hidden ? [row.caller] : [row.caller, row.callee];
  // Sorted, so that two calls between the same wallets never wait for each other.
  for (const owner of owners.sort())
    await accountEvents.emit(executor, { id: row.id, owner }, () => [
      { type: types[row.status], data: { call: toEventCall(row) } },
    ]);
}

export function toEventCall(row: CallRow): WireEventCall {
  const { id, caller: from, callee: to, type, status, answeredAt, endedAt, endReason } = row;
  return {
    id,
    from,
    to,
    type,
    status,
    startedAt: toIso(row.startedAt),
    answeredAt: answeredAt && toIso(answeredAt),
    endedAt: endedAt && toIso(endedAt),
    endReason,
  };
}
