import { z } from 'zod';
import { callStatus, callType } from './calls.ts';
import { displayName, id, isoDate, walletAddress } from './common.ts';
import { participantRole, roomStatus } from './conference.ts';
import { grants } from './guests.ts';
import { recordingKind, recordingStatus } from './recordings.ts';
import { streamStatus } from './streaming.ts';

/* The data of the events that webhook endpoints get about rooms, streams, recordings and calls. */

/** A room as an event shows it. */
export const eventRoom = z.object({
  id: id('room').describe('The id of the room.'),
  name: z.string().describe('The name of the room.'),
  /** The room that this one is a breakout of; null if it is none. */
  parentId: id('room').nullable().describe('The room that this one is a breakout of; null if it is none.'),
  status: roomStatus.describe('The state of the room.'),
  createdAt: isoDate.describe('When the room was created.'),
  startedAt: isoDate.nullable().describe('When the first participant joined; null before.'),
  endedAt: isoDate.nullable().describe('When the room ended; null before.'),
  /** `ended` (by a host), `empty`, `max_duration`, `breakouts_ended`. */
  endReason: z
    .string()
    .nullable()
    .describe('Why it ended: `ended` (by a host), `empty`, `max_duration`, `breakouts_ended`.'),
});

/** A participant as the HTTP API and events show it. */
export const backendParticipant = z.object({
  id: id('par').describe('The id of the participant. It is new each time a party enters.'),
  roomId: id('room').describe('The id of the room.'),
  /** The identity in the participant token of a guest; otherwise the wallet. */
  identity: z.string().describe('The identity in the participant token of a guest; otherwise the wallet.'),
  walletAddress: walletAddress.nullable().describe('The wallet; null for a guest.'),
  isGuest: z.boolean().describe('Whether it joined with a participant token.'),
  displayName: displayName.nullable().describe('The name shown to the others; null without one.'),
  role: participantRole.describe('The role.'),
  metadata: z.string().nullable().describe('The metadata in the participant token; null without one.'),
  /** null for a wallet, which may do everything that its role allows. */
  grants: grants.nullable().describe('What a guest may do; null for a wallet.'),
  audio: z.boolean().describe('Whether the microphone is on.'),
  video: z.boolean().describe('Whether the camera is on.'),
  screen: z.boolean().describe('Whether the screen is shared.'),
  handRaised: z.boolean().describe('Whether the participant asks to speak.'),
  joinedAt: isoDate.describe('When the participant entered.'),
});

export type WireEventRoom = z.input<typeof eventRoom>;
export type WireBackendParticipant = z.input<typeof backendParticipant>;

export const leftReason = z
  .enum([
    'left',
    'connection_lost',
    'kicked',
    'revoked',
    'moved',
    'access_lost',
    'access_unknown',
    'room_ended',
  ])
  .describe(
    'Why: `left`, `connection_lost` (the device did not come back), `kicked` (by a host or backend), `revoked` (the token), `moved` (to the room `movedTo`), `access_lost` or `access_unknown` (the gate), `room_ended`.',
  );
export type LeftReason = z.infer<typeof leftReason>;

export const eventStream = z.object({
  id: id('str').describe('The id of the stream.'),
  title: z.string().describe('The title.'),
  status: streamStatus.describe('The state: `idle` until it is live for the first time, `live`, `ended`.'),
  isSending: z.boolean().describe('Whether the publisher sends media.'),
  createdAt: isoDate.describe('When the stream was created.'),
  startedAt: isoDate.nullable().describe('When it was live for the first time; null before.'),
  endedAt: isoDate.nullable().describe('When it ended; null before.'),
  endReason: z.string().nullable().describe('Why it ended: `ended` (by its host), `gone` (its publisher).'),
});

export const eventRecording = z.object({
  id: id('rec').describe('The id of the recording.'),
  kind: recordingKind.describe('What was recorded.'),
  roomId: z.string().describe('The id of the room, stream or call.'),
  title: z.string().describe('The title of the stream or room; empty for a call.'),
  status: recordingStatus.describe('The state: `recording`, `processing`, `ready`, `failed`.'),
  startedAt: isoDate.describe('When it was started.'),
  endedAt: isoDate.nullable().describe('When it ended.'),
  endReason: z.string().nullable().describe('Why it ended or failed.'),
  durationSeconds: z.number().nullable().describe('The duration in seconds; null until it is ready.'),
  sizeBytes: z.int().nullable().describe('The size of all files; null until it is ready.'),
});

export const eventCall = z.object({
  id: id('call').describe('The id of the call.'),
  from: walletAddress.describe('The caller.'),
  to: walletAddress.describe('The callee.'),
  type: callType.describe('The type of the call.'),
  status: callStatus.describe('The state of the call.'),
  startedAt: isoDate.describe('When it began to ring.'),
  answeredAt: isoDate.nullable().describe('When it was answered; null if it was not.'),
  endedAt: isoDate.nullable().describe('When it ended; null before.'),
  endReason: z.string().nullable().describe('Why it ended.'),
});

export type WireEventStream = z.input<typeof eventStream>;
export type WireEventRecording = z.input<typeof eventRecording>;
export type WireEventCall = z.input<typeof eventCall>;

const room = z.object({ room: eventRoom.describe('The room.') });
const ofStream = z.object({ stream: eventStream.describe('The stream.') });
const ofRecording = z.object({ recording: eventRecording.describe('The recording.') });
const ofCall = z.object({ call: eventCall.describe('The call.') });
const inRoom = room.extend({ participant: backendParticipant.describe('The participant.') });

/** The data of each type of event. */
export const realtimeEventData = {
  'room.started': room,
  'room.ended': room,
  'participant.joined': inRoom,
  'participant.left': inRoom.extend({
    reason: leftReason,
    movedTo: id('room').nullable().describe('The room that a host moved the participant to; null otherwise.'),
  }),
  /** Role, name, metadata, grants, raised hand or what is sent has changed. */
  'participant.updated': inRoom,
  'stream.live': ofStream,
  'stream.idle': ofStream,
  'stream.ended': ofStream,
  'recording.ready': ofRecording,
  'recording.failed': ofRecording,
  'call.ringing': ofCall,
  'call.answered': ofCall,
  'call.ended': ofCall,
  'call.missed': ofCall,
} as const;
