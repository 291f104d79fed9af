import { z } from 'zod';
import { displayName, id, isoDate, nothing, plainText, walletAddress } from './common.ts';
import { accessResult, contract, gateChain, gateConfig, gateType, inspectRequest } from './gates.ts';
import { participant } from './media.ts';
import { recording } from './recordings.ts';

const roomStatus = z.enum(['waiting', 'active', 'ended']);
export type RoomStatus = z.infer<typeof roomStatus>;

export const participantRole = z.enum(['host', 'participant', 'viewer']);
export type ParticipantRole = z.infer<typeof participantRole>;

const week = 7 * 24 * 60 * 60;

export const roomSettings = z.strictObject({
  /** Nobody new comes in, but for those who are invited. */
  locked: z.boolean().default(false),
  /** Whoever is not invited waits until a host lets them in. */
  waitingRoom: z.boolean().default(false),
  muteOnEntry: z.boolean().default(false),
  allowScreenShare: z.boolean().default(true),
  allowChat: z.boolean().default(true),
  /** Recorded from when the first one joins, for whoever created it: everybody in it is told. */
  record: z.boolean().default(false),
  /** What cameras are sent in. VP8 and H264 may be in any room, since everybody can see them; VP9 only where this says so. */
  codec: z.enum(['vp8', 'vp9']).default('vp8'),
  /** Seconds after the last one left until the room ends. */
  emptyTimeout: z.int().min(1).max(week).default(300),
  /** Seconds after the first one joined until the room ends; null: as long as somebody is there. */
  maxDuration: z.int().min(1).max(week).nullable().default(null),
});
export type WireRoomSettings = z.infer<typeof roomSettings>;

const roomParticipant = participant.extend({
  /** Higher with each change: several nodes tell of them, and of two the older may be heard last. */
  revision: z.int(),
});
export type WireRoomParticipant = z.infer<typeof roomParticipant>;

export const conferenceRoom = z.object({
  id: id('room'),
  name: z.string(),
  /** The wallet that created it. */
  host: walletAddress,
  /** Who is in it; empty for who may not know. */
  participants: z.array(roomParticipant),
  maxParticipants: z.number(),
  /** Whether anybody sends pictures, and sound. */
  video: z.boolean(),
  audio: z.boolean(),
  settings: roomSettings,
  createdAt: isoDate,
  endedAt: isoDate.nullable(),
  /** Why it ended: `ended` (by a host), `empty`, `max_duration`. */
  endReason: z.string().nullable(),
  /** A page to join it with. */
  url: z.string(),
  status: roomStatus,
  /** What it asks of whoever joins; null where it asks nothing. */
  gateType: gateType.nullable(),
  gate: gateConfig.nullable(),
  /** Who has it recorded; null while nobody does. */
  recordedBy: walletAddress.nullable(),
  isRecording: z.boolean(),
});
export type WireConferenceRoom = z.output<typeof conferenceRoom>;

export const gatedRoom = conferenceRoom.extend({ gateType, gate: gateConfig });

/** Somebody in front of the door. */
const waiter = z.object({
  roomId: id('room'),
  walletAddress,
  displayName: displayName.nullable(),
  askedAt: isoDate,
});
export type WireWaiter = z.infer<typeof waiter>;

const content = plainText.trim().min(1).max(2_000);
const chatMessage = z.object({
  id: id('msg'),
  roomId: id('room'),
  from: walletAddress,
  content: z.string(),
  timestamp: isoDate,
});
const sender = z.object({ walletAddress, displayName: displayName.nullable() });
const chat = z.object({ roomId: id('room'), message: chatMessage, sender });
export type WireRoomChat = z.infer<typeof chat>;

/** 0 (nothing gets through) to 10; null where there is nothing. */
const score = z.number().min(0).max(10).nullable();
/** Several in one: a crowd's would be as many messages as it has pairs. */
const qualities = z.object({
  roomId: id('room'),
  participants: z.array(z.object({ participantId: id('par'), sending: score, receiving: score })),
});
export type WireQualities = z.infer<typeof qualities>;

const speakers = z.object({
  roomId: id('room'),
  /** The loudest first; level is 0 to 1. */
  speakers: z.array(z.object({ participantId: id('par'), level: z.number() })),
});
export type WireSpeakers = z.infer<typeof speakers>;

/** Why somebody is no longer in a room that goes on. */
const removalReason = z.enum(['kicked', 'access_lost', 'access_unknown']);
export type RemovalReason = z.infer<typeof removalReason>;

export const newRoom = {
  name: plainText.trim().min(1).max(100),
  maxParticipants: z.int().min(2).max(1_000),
  video: z.boolean().default(true),
  audio: z.boolean().default(true),
  settings: roomSettings.prefault({}),
};

const roomId = { roomId: id('room') };
const room = z.strictObject(roomId);
const other = z.strictObject({ ...roomId, participantId: id('par') });
const wallet = z.strictObject({ ...roomId, walletAddress });
/** Only if one of these connections had the place: a device that comes back does not take it from another. */
const held = z.array(plainText.max(64)).max(16).optional();

export const conferenceRequests = {
  'conference.create': { request: z.strictObject(newRoom), response: conferenceRoom },
  'conference.join': {
    request: z.strictObject({ ...roomId, displayName: displayName.optional(), held }),
    response: z.discriminatedUnion('state', [
      /** In front of the door: `conference:admitted` says when to join again. */
      z.object({ state: z.literal('waiting') }),
      z.object({
        state: z.literal('joined'),
        room: conferenceRoom,
        /** This wallet's own part. */
        participant: roomParticipant,
        /** Whether its microphone is to be silent until conference.unmuteAudio. */
        muted: z.boolean(),
        /** What was said last, the oldest first. */
        chat: z.array(chat),
      }),
    ]),
  },
  'conference.leave': { request: z.strictObject({ ...roomId, held }), response: nothing },
  'conference.muteAudio': { request: room, response: nothing },
  'conference.unmuteAudio': { request: room, response: nothing },
  'conference.muteVideo': { request: room, response: nothing },
  'conference.unmuteVideo': { request: room, response: nothing },
  /** Asks whether this device may share its screen; what then is sent says that it does. */
  'conference.startScreenShare': { request: room, response: nothing },
  'conference.stopScreenShare': { request: room, response: nothing },
  'conference.end': { request: room, response: nothing },
  /** Out, and not in again unless invited. */
  'conference.kick': { request: other, response: nothing },
  'conference.muteParticipant': { request: other, response: nothing },
  'conference.setRole': {
    request: other.extend({ role: participantRole }),
    response: roomParticipant,
  },
  'conference.lock': {
    request: z.strictObject({ ...roomId, locked: z.boolean().default(true) }),
    response: conferenceRoom,
  },
  /** Rooms this wallet hosts, is in, or is invited to: newest first, those that ended left out unless asked for. */
  'conference.list': {
    request: z.strictObject({
      status: roomStatus.optional(),
      limit: z.int().min(1).max(100).default(50),
      offset: z.int().min(0).max(100_000).default(0),
    }),
    response: z.array(conferenceRoom),
  },
  'conference.get': { request: room, response: conferenceRoom },
  'conference.invite': {
    request: z.strictObject({ ...roomId, addresses: z.array(walletAddress).min(1).max(100) }),
    response: nothing,
  },
  /** By a host: everybody in the room is told. Whoever starts it has the recording; any host may stop it. */
  'conference.startRecording': { request: room, response: recording },
  'conference.stopRecording': { request: room, response: nothing },
  'conference.raiseHand': {
    request: z.strictObject({ ...roomId, raised: z.boolean().default(true) }),
    response: nothing,
  },
  'conference.sendChat': { request: z.strictObject({ ...roomId, content }), response: chat },
  /** The oldest first: the last ones, or those before one. */
  'conference.getChat': {
    request: z.strictObject({
      ...roomId,
      limit: z.int().min(1).max(100).default(50),
      before: id('msg').optional(),
    }),
    response: z.array(chat),
  },
  /** Who waits in front of the door, the longest first. */
  'conference.getWaiting': { request: room, response: z.array(waiter) },
  'conference.admit': { request: wallet, response: nothing },
  'conference.deny': { request: wallet, response: nothing },

  'gatedRooms.create': {
    request: z
      .strictObject({ ...newRoom, gateType, gate: gateConfig })
      .refine(({ gateType: type, gate }) => type === gate.type, {
        error: 'the gate’s type is another',
        path: ['gateType'],
      }),
    response: gatedRoom,
  },
  'gatedRooms.checkAccess': { request: wallet, response: accessResult },
  /** The chains gates may name, on the session's network. */
  'gatedRooms.getChains': { request: z.strictObject({}), response: z.array(gateChain) },
  /** How a contract describes itself, before a gate is made of it. */
  'gatedRooms.inspect': { request: inspectRequest, response: contract },
} as const;

const screenShare = z.object({ ...roomId, participantId: id('par') });

export const conferenceEvents = {
  'conference:participant:joined': roomParticipant,
  'conference:participant:left': roomParticipant,
  /** Muted, unmuted, camera on or off, a hand raised, another role. */
  'conference:participant:updated': roomParticipant,
  /** A participant's connection is lost, and it has 20 seconds to come back; or it is back. */
  'conference:participant:away': z.object({
    roomId: id('room'),
    participantId: z.string(),
    isAway: z.boolean(),
  }),
  'conference:screenshare:started': screenShare,
  'conference:screenshare:stopped': screenShare,
  'conference:chat:message': chat,
  /** What everybody in the room sends is recorded from now on, or no longer. */
  'conference:recording': z.object({ ...roomId, recording: z.boolean(), by: walletAddress }),
  /** Who speaks, whenever that or their order changes; nobody when it falls silent. */
  'conference:speaker:active': speakers,
  /** How well the media of these gets through now. In a crowd each device hears of its own alone. */
  'conference:quality': qualities,
  /** Locked or unlocked. `participants` is left empty, since those who hear this know them: the SDK's event has them. */
  'conference:updated': conferenceRoom,
  'conference:ended': conferenceRoom,
  /** Somebody invites this wallet. */
  'conference:invited': z.object({ room: conferenceRoom, from: walletAddress }),
  /** A host has muted this device's microphone. */
  'conference:muted': z.object(roomId),
  /** This wallet is out, and the room goes on. `access` says what it lacks. */
  'conference:removed': z.object({ ...roomId, reason: removalReason, access: accessResult.nullable() }),
  /** To the hosts: somebody is in front of the door, or no longer. */
  'conference:waiting:joined': waiter,
  'conference:waiting:left': waiter,
  /** To who waits: join now; or don't. */
  'conference:admitted': z.object(roomId),
  'conference:denied': z.object(roomId),
} as const;
