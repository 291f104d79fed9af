import { toIso } from '../../sdk/protocol/common.ts';
import type { WireMediaInfo } from '../../sdk/protocol/files.ts';
import { guestMark } from '../../sdk/protocol/party.ts';
import type { WireRecording } from '../../sdk/protocol/recordings.ts';
import type { RecordingFileRow, RecordingRow } from './tables.ts';

export function toRecording(
  row: RecordingRow,
  files: RecordingFileRow[],
  media: Map<string, WireMediaInfo>,
): WireRecording {
  const { id, kind, roomId, host, title, status, startedAt, endedAt, endReason } = row;
  const { durationSeconds, sizeBytes, leftOut } = row;
  const shown = files.flatMap(({ fileId, wallet: walletAddress, displayName, isScreen, startSeconds }) => {
    const info = media.get(fileId);
    const of = { walletAddress, ...guestMark(walletAddress), displayName };
    return info ? [{ ...info, ...of, isScreen, startSeconds }] : [];
  });
  return {
    id,
    kind,
    roomId,
    host,
    title,
    status,
    endReason,
    durationSeconds,
    sizeBytes,
    startedAt: toIso(startedAt),
    endedAt: endedAt && toIso(endedAt),
    leftOut: leftOut.length,
    url: (shown.find(({ isScreen }) => !isScreen) ?? shown[0])?.url ?? null,
    files: shown,
  };
}
