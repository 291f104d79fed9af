import { toIso } from '../../sdk/protocol/common.ts';
import { identityOf, isGuest, walletOf } from '../../sdk/protocol/party.ts';
import type { LeftReason, WireBackendParticipant, WireEventRoom } from '../../sdk/protocol/webhookData.ts';
import type { AccountEvent } from '../events/AccountEvents.ts';
import type { MemberRow, RoomRow } from './tables.ts';

/* The events that the account of a room's host gets. */

export function toEventRoom(row: RoomRow): WireEventRoom {
  const { id, name, parentId, status, createdAt, startedAt, endedAt, endReason } = row;
  return {
    id,
    name,
    parentId,
    status,
    createdAt: toIso(createdAt),
    startedAt: startedAt && toIso(startedAt),
    endedAt: endedAt && toIso(endedAt),
    endReason,
  };
}

/** A participant as backends see it. */
export function toBackendParticipant(row: MemberRow): WireBackendParticipant {
  const { participantId, roomId, wallet, displayName, role, metadata, grants, sending, handRaised } = row;
  return {
    id: participantId ?? '',
    roomId,
    identity: identityOf(wallet),
    walletAddress: walletOf(wallet),
    isGuest: isGuest(wallet),
    displayName,
    role,
    metadata,
    grants,
    audio: sending.includes('microphone'),
    video: sending.includes('camera'),
    screen: sending.includes('screen'),
    handRaised,
    joinedAt: toIso(row.joinedAt ?? row.changedAt),
  };
}

export const roomEvent = (type: 'room.started' | 'room.ended', room: RoomRow): AccountEvent => ({
  type,
  data: { room: toEventRoom(room) },
});

export const participantEvent = (
  type: 'participant.joined' | 'participant.updated',
  room: RoomRow,
  member: MemberRow,
): AccountEvent => ({
  type,
  data: { room: toEventRoom(room), participant: toBackendParticipant(member) },
});

/** @param member the membership as it was while the party was in the room */
export const leftEvent = (
  room: RoomRow,
  member: MemberRow,
  reason: LeftReason,
  movedTo: string | null = null,
): AccountEvent => ({
  type: 'participant.left',
  data: { room: toEventRoom(room), participant: toBackendParticipant(member), reason, movedTo },
});
