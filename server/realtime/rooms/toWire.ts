import type { z } from 'zod';
import { toIso } from '../../../sdk/protocol/common.ts';
import { identityOf, isGuest } from '../../../sdk/protocol/party.ts';
import type { WireRecording } from '../../../sdk/protocol/recordings.ts';
import type { room, roomMessage, roomRecording } from '../../../sdk/protocol/rooms.ts';
import type { ChatRow } from '../../../signaling/chat/chatTable.ts';
import { toEventRoom } from '../../../signaling/conference/accountEvents.ts';
import type { RoomRow } from '../../../signaling/conference/tables.ts';

export type WireBackendRoom = z.input<typeof room>;

export function toBackendRoom(row: RoomRow, participantCount: number, publicUrl: string): WireBackendRoom {
  const { id, host, network, maxParticipants, video, audio, settings, gate, status, recordedBy } = row;
  return {
    ...toEventRoom(row),
    host,
    network,
    maxParticipants,
    participantCount,
    video,
    audio,
    settings,
    gate,
    recordedBy: status === 'active' ? recordedBy : null,
    url: `${publicUrl}/rooms/${id}`,
  };
}

export function toMessage(row: ChatRow): z.input<typeof roomMessage> {
  const { id, scopeId: roomId, wallet, displayName, content, sentAt } = row;
  const [identity, isFromGuest] = [identityOf(wallet), isGuest(wallet)];
  return { id, roomId, identity, isGuest: isFromGuest, displayName, content, sentAt: toIso(sentAt) };
}

export function toRecordingState(
  { status, recordedBy: by }: RoomRow,
  latest: WireRecording | null,
): z.input<typeof roomRecording> {
  const recordedBy = status === 'active' ? by : null;
  return { isRecording: recordedBy !== null, recordedBy, recording: latest && toEventRecording(latest) };
}

function toEventRecording(shown: WireRecording) {
  const { id, kind, roomId, title, status, startedAt, endedAt, endReason, durationSeconds, sizeBytes } =
    shown;
  return { id, kind, roomId, title, status, startedAt, endedAt, endReason, durationSeconds, sizeBytes };
}
