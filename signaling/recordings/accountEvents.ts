import type { Executor } from '../../platform/database/Executor.ts';
import { toIso } from '../../sdk/protocol/common.ts';
import type { WireEventRecording } from '../../sdk/protocol/webhookData.ts';
import type { AccountEvents } from '../events/AccountEvents.ts';
import type { RecordingRow } from './tables.ts';

/** Reports a settled recording to the account of its owner, as an event of the room, stream or call. */
export function reportSettled(
  accountEvents: AccountEvents,
  executor: Executor,
  row: RecordingRow,
): Promise<void> {
  const type = row.status === 'ready' ? 'recording.ready' : 'recording.failed';
  return accountEvents.emit(executor, { id: row.roomId, owner: row.host }, () => [
    { type, data: { recording: toEventRecording(row) } },
  ]);
}

function toEventRecording(row: RecordingRow): WireEventRecording {
  const { id, kind, roomId, title, status, startedAt, endedAt, endReason, durationSeconds, sizeBytes } = row;
  return {
    id,
    kind,
    roomId,
    title,
    status,
    startedAt: toIso(startedAt),
    endedAt: endedAt && toIso(endedAt),
    endReason,
    durationSeconds,
    sizeBytes,
  };
}
