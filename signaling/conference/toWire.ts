import { toIso, type Address } from '../../sdk/protocol/common.ts';
import type {
  WireConferenceRoom,
  WireRoomChat,
  WireRoomParticipant,
  WireWaiter,
} from '../../sdk/protocol/conference.ts';
import { guestMark } from '../../sdk/protocol/party.ts';
import type { ChatRow } from '../chat/chatTable.ts';
import type { MemberRow, RoomRow } from './tables.ts';

export function toParticipant(row: MemberRow): WireRoomParticipant {
  return {
    id: row.participantId ?? '',
    roomId: row.roomId,
    walletAddress: row.wallet,
    ...guestMark(row.wallet),
    displayName: row.displayName,
    role: row.role,
    audio: row.sending.includes('microphone'),
    video: row.sending.includes('camera'),
    screen: row.sending.includes('screen'),
    handRaised: row.handRaised,
    joinedAt: toIso(row.joinedAt ?? row.changedAt),
    revision: row.revision,
    ...(row.metadata === null ? {} : { metadata: row.metadata }),
  };
}

/** @param present the participants that the recipient may see @param isAway whether a member's connection is lost */
export function toRoom(
  row: RoomRow,
  present: MemberRow[],
  publicUrl: string,
  isAway: (member: MemberRow) => boolean = () => false,
): WireConferenceRoom {
  const { endedAt, gate } = row;
  const recordedBy = row.status === 'active' ? row.recordedBy : null;
  return {
    id: row.id,
    name: row.name,
    host: row.host,
    participants: present.map((member) => ({
      ...toParticipant(member),
      ...(isAway(member) ? { isAway: true } : {}),
    })),
    maxParticipants: row.maxParticipants,
    video: row.video,
    audio: row.audio,
    settings: row.settings,
    createdAt: toIso(row.createdAt),
    endedAt: endedAt && toIso(endedAt),
    endReason: row.endReason,
    url: `${publicUrl}/rooms/${row.id}`,
    status: row.status,
    gateType: gate?.type ?? null,
    gate,
    recordedBy,
    isRecording: recordedBy !== null,
    parentId: row.parentId,
    breakoutsEndAt: row.breakoutsEndAt && toIso(row.breakoutsEndAt),
    startsAt: row.startsAt && toIso(row.startsAt),
  };
}

export function toWaiter(row: MemberRow): WireWaiter {
  return {
    roomId: row.roomId,
    // Guests do not wait, because a host has already decided to let them in.
    walletAddress: row.wallet as Address,
    displayName: row.displayName,
    askedAt: toIso(row.changedAt),
  };
}

export function toChat(row: ChatRow): WireRoomChat {
  return {
    roomId: row.scopeId,
    message: {
      id: row.id,
      roomId: row.scopeId,
      from: row.wallet,
      content: row.content,
      timestamp: toIso(row.sentAt),
    },
    sender: { walletAddress: row.wallet, ...guestMark(row.wallet), displayName: row.displayName },
  };
}
