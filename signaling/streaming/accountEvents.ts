import type { Executor } from '../../platform/database/Executor.ts';
import { toIso } from '../../sdk/protocol/common.ts';
import type { WireEventStream } from '../../sdk/protocol/webhookData.ts';
import type { AccountEvent } from '../events/AccountEvents.ts';
import type { StreamDeps } from './StreamDeps.ts';
import type { StreamRow } from './tables.ts';

/**
 * Changes a stream that the transaction has locked, and reports to the host's account if media begins or ceases to arrive, or the stream
 * ends. Call it after all other statements of the change.
 */
export async function changeStream(
  { store, accountEvents }: Pick<StreamDeps, 'store' | 'accountEvents'>,
  executor: Executor,
  before: StreamRow,
  changes: Partial<StreamRow>,
): Promise<StreamRow> {
  const after = await store.change(executor, before.id, changes);
  const type = typeOf(before, after);
  if (type)
    await accountEvents.emit(executor, { id: after.id, owner: after.host }, () => [
      { type, data: { stream: toEventStream(after) } },
    ]);
  return after;
}

function typeOf(before: StreamRow, after: StreamRow): AccountEvent['type'] | null {
  if (after.status === 'ended') return before.status === 'ended' ? null : 'stream.ended';
  if (after.isSending === before.isSending) return null;
  return after.isSending ? 'stream.live' : 'stream.idle';
}

export function toEventStream(row: StreamRow): WireEventStream {
  const { id, title, status, isSending, startedAt, endedAt, endReason } = row;
  return {
    id,
    title,
    status,
    isSending,
    createdAt: toIso(row.createdAt),
    startedAt: startedAt && toIso(startedAt),
    endedAt: endedAt && toIso(endedAt),
    endReason,
  };
}
