import { z } from 'zod';
import { displayName, id, isoDate, nothing, plainText, walletAddress } from './common.ts';
import { dataMessage, hasOneContent, receivedData } from './data.ts';
import { accessResult, contract, gateChain, gateConfig, gateType, inspectRequest } from './gates.ts';
import { grants, isGuest, metadata, partyId } from './guests.ts';
import { answeredMedia, participant, wantedMedia } from './media.ts';
import { recording } from './recordings.ts';

export const roomStatus = z.enum(['waiting', 'active', 'ended']);
/** The state of a room: `waiting` before the first join, `active`, then `ended`. */
export type RoomStatus = z.infer<typeof roomStatus>;

export const participantRole = z.enum(['host', 'participant', 'viewer']);
/** A `host` manages the room, a `viewer` only receives media. */
export type ParticipantRole = z.infer<typeof participantRole>;

const week = 7 * 24 * 60 * 60;

const seconds = z.int().min(1).max(week);
const settings = {
  locked: z.boolean().describe('Only invited wallets, and guests with a participant token, may join.'),
  waitingRoom: z.boolean().describe('Wallets without an invitation wait until a host admits them.'),
  muteOnEntry: z.boolean().describe('Participants enter muted; hosts do not.'),
  allowScreenShare: z.boolean().describe('Whether participants who are not hosts may share their screen.'),
  allowChat: z.boolean().describe('Whether participants who are not hosts may write in the chat.'),
  record: z
    .boolean()
    .describe(
      'Record the room from the first join. The recording belongs to the room’s creator, and all participants are notified.',
    ),
  codec: z
    .enum(['vp8', 'vp9'])
    .describe(
      'The camera codec. VP8 and H264 are allowed in every room, since every browser decodes them; VP9 only if it is set here.',
    ),
  emptyTimeout: seconds.describe(
    'How many seconds the room stays open after the last participant has left: 1 to 604,800.',
  ),
  maxDuration: seconds
    .nullable()
    .describe(
      'How many seconds the room stays open after the first join: 1 to 604,800, or null for no limit.',
    ),
};

export const roomSettings = z.strictObject({
  locked: settings.locked.default(false),
  waitingRoom: settings.waitingRoom.default(false),
  muteOnEntry: settings.muteOnEntry.default(false),
  allowScreenShare: settings.allowScreenShare.default(true),
  allowChat: settings.allowChat.default(true),
  record: settings.record.default(false),
  codec: settings.codec.default('vp8'),
  emptyTimeout: settings.emptyTimeout.default(300),
  maxDuration: settings.maxDuration.default(null),
});
/** The settings to change. Those that are left out stay as they are. */
export const changedSettings = z.strictObject(settings).partial();
export type WireRoomSettings = z.infer<typeof roomSettings>;

/** A participant of a room. */
export const roomParticipant = participant.extend({
  /** Rises with each change. Several nodes send updates, so an older one may arrive after a newer one; the SDK then ignores it. */
  revision: z.int(),
  /** The metadata of a guest, as its backend wrote it. Missing without any. */
  metadata: metadata.optional(),
});
export type WireRoomParticipant = z.infer<typeof roomParticipant>;

export const conferenceRoom = z.object({
  id: id('room'),
  name: z.string(),
  /** The wallet that created the room, or the account without a wallet (`account:…`) whose backend did. */
  host: partyId,
  /** The participants; empty for a wallet that may not see them. */
  participants: z.array(roomParticipant),
  maxParticipants: z.number(),
  /** Whether the room allows cameras. */
  video: z.boolean(),
  /** Whether the room allows audio. */
  audio: z.boolean(),
  settings: roomSettings,
  createdAt: isoDate,
  endedAt: isoDate.nullable(),
  /** Why it ended: `ended` (by a host), `empty`, `max_duration`, `breakouts_ended`. */
  endReason: z.string().nullable(),
  /** The address of a page for joining the room. */
  url: z.string(),
  status: roomStatus,
  /** The type of the gate; null without a gate. */
  gateType: gateType.nullable(),
  /** The gate; null without a gate. Its fields are those of `Gate` in the reference of the SDK. */
  gate: gateConfig.nullable(),
  /** The wallet that records the room; null if it is not recorded. */
  recordedBy: partyId.nullable(),
  isRecording: z.boolean(),
  /** The room that this one is a breakout of; null if it is none. Missing from servers of older releases. */
  parentId: id('room').nullable().optional(),
  /** When the breakouts of this room end, and everybody in them comes back; null if no time is set. */
  breakoutsEndAt: isoDate.nullable().optional(),
  /** When the room is to start; null if it is not scheduled. Missing from servers of older releases. */
  startsAt: isoDate.nullable().optional(),
});
export type WireConferenceRoom = z.output<typeof conferenceRoom>;

export const gatedRoom = conferenceRoom.extend({ gateType, gate: gateConfig });

/** What happens to a wallet that joins: it enters, waits for a host, or is refused. */
const entry = z.enum(['enter', 'wait', 'locked', 'removed', 'full']);
/**
 * What happens to this wallet when it joins the room: it enters, waits until a host admits it (`wait`), or is refused, because the room is
 * locked or full, or because a host has removed the wallet. The gate is checked as well.
 */
export type RoomEntry = z.infer<typeof entry>;

/** A room that has ended, for a wallet that was in it or hosted it. */
const pastRoom = z.object({
  /** The room, without participants. */
  room: conferenceRoom,
  /** When this wallet entered it for the first time; null if it never did. */
  joinedAt: isoDate.nullable(),
  /** When this wallet last left it, at the latest when the room ended; null if it was never in it. */
  leftAt: isoDate.nullable(),
  /** The recordings of the room that belong to this wallet, newest first, at most 10. */
  recordings: z.array(recording),
  /** The number of chat messages that this wallet can read. */
  messages: z.int(),
});
export type WirePastRoom = z.output<typeof pastRoom>;

/** A wallet in the waiting room. */
const waiter = z.object({
  roomId: id('room'),
  walletAddress,
  displayName: displayName.nullable(),
  askedAt: isoDate,
});
export type WireWaiter = z.infer<typeof waiter>;

export const content = plainText.trim().min(1).max(2_000);
const chatMessage = z.object({
  id: id('msg'),
  roomId: id('room'),
  from: partyId,
  content: z.string(),
  timestamp: isoDate,
});
const sender = z.object({ walletAddress: partyId, isGuest, displayName: displayName.nullable() });
const chat = z.object({ roomId: id('room'), message: chatMessage, sender });
export type WireRoomChat = z.infer<typeof chat>;

/** Quality from 0 (nothing arrives) to 10; null if there is no media in this direction. */
const score = z.number().min(0).max(10).nullable();
/** The qualities of several participants, combined because one event per participant would be too many in a large room. */
const qualities = z.object({
  roomId: id('room'),
  participants: z.array(z.object({ participantId: id('par'), sending: score, receiving: score })),
});
export type WireQualities = z.infer<typeof qualities>;

const speakers = z.object({
  roomId: id('room'),
  /** Loudest first. `level` is from 0 to 1. */
  speakers: z.array(z.object({ participantId: id('par'), level: z.number() })),
});
export type WireSpeakers = z.infer<typeof speakers>;

/** Why a participant was removed from a room that continues. */
const removalReason = z.enum(['kicked', 'revoked', 'access_lost', 'access_unknown']);
export type RemovalReason = z.infer<typeof removalReason>;

export const newRoom = {
  name: plainText.trim().min(1).max(100),
  maxParticipants: z.int().min(2).max(1_000),
  video: z.boolean().default(true),
  audio: z.boolean().default(true),
  settings: roomSettings.prefault({}),
};
const schedule = {
  /**
   * When the room is to start, at most a year ahead. Until then, it does not end because nobody is in it; nor for a day after, unless
   * somebody was in it since.
   */
  startsAt: isoDate.optional(),
};

/** What a host can change in a room. */
export const changedRoom = z
  .strictObject({
    name: newRoom.name.describe('The name, 1 to 100 characters.'),
    maxParticipants: newRoom.maxParticipants.describe(
      'The maximum number of participants, 2 to 1,000. With a lower one than now, nobody is removed.',
    ),
    video: z.boolean().describe('Whether the room allows cameras. Without, those that are on are closed.'),
    audio: z.boolean().describe('Whether the room allows audio. Without, what is sent is closed.'),
    settings: changedSettings.describe('The settings to change. The others stay as they are.'),
  })
  .partial();

/** What a host can change in a participant, until it leaves. */
export const changedParticipant = z
  .strictObject({
    role: participantRole.describe('The role. A participant who becomes a `viewer` stops sending at once.'),
    displayName: displayName.describe('The name shown to the others, 1 to 64 characters.'),
    metadata: metadata
      .nullable()
      .describe('Your own text about the participant, up to 4,096 bytes; null for none.'),
    grants: z
      .strictObject(grants.shape)
      .partial()
      .describe(
        'What a guest may do; those that are left out stay. What is no longer granted ends at once. Wallets have no grants.',
      ),
  })
  .partial();

const roomId = { roomId: id('room') };
const room = z.strictObject(roomId);
const other = z.strictObject({ ...roomId, participantId: id('par') });
const wallet = z.strictObject({ ...roomId, walletAddress });
/**
 * The ids of this device's connections, including earlier ones. The request has no effect if the membership is on any other
 * connection, so that a returning device does not take it from another device.
 */
const held = z.array(plainText.max(64)).max(16).optional();

export const conferenceRequests = {
  'conference.create': { request: z.strictObject({ ...newRoom, ...schedule }), response: conferenceRoom },
  'conference.join': {
    request: z.strictObject({ ...roomId, displayName: displayName.optional(), held, ...wantedMedia }),
    response: z.discriminatedUnion('state', [
      /** The wallet is in the waiting room. Join again after `conference:admitted`. */
      z.object({ state: z.literal('waiting') }),
      z.object({
        state: z.literal('joined'),
        room: conferenceRoom,
        /** The participant of this wallet. */
        participant: roomParticipant,
        /** Whether the microphone must stay muted until `conference.unmuteAudio`. */
        muted: z.boolean(),
        /** The latest messages, oldest first. */
        chat: z.array(chat),
        ...answeredMedia,
      }),
    ]),
  },
  'conference.leave': { request: z.strictObject({ ...roomId, held }), response: nothing },
  'conference.muteAudio': { request: room, response: nothing },
  'conference.unmuteAudio': { request: room, response: nothing },
  'conference.muteVideo': { request: room, response: nothing },
  'conference.unmuteVideo': { request: room, response: nothing },
  /** Checks whether this device may share its screen. Sharing starts with `media.produce`. */
  'conference.startScreenShare': { request: room, response: nothing },
  'conference.stopScreenShare': { request: room, response: nothing },
  'conference.end': { request: room, response: nothing },
  /** Removes a participant, who can join again only with a new invitation. */
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
  /** The rooms this wallet hosts, is in or is invited to, newest first, without breakouts. Ended rooms are returned only with `status: 'ended'`. */
  'conference.list': {
    request: z.strictObject({
      status: roomStatus.optional(),
      limit: z.int().min(1).max(100).default(50),
      offset: z.int().min(0).max(100_000).default(0),
    }),
    response: z.array(conferenceRoom),
  },
  /** `entry` is missing for guests, for rooms that have ended, and from servers of older releases. */
  'conference.get': { request: room, response: conferenceRoom.extend({ entry: entry.optional() }) },
  /** The rooms that this wallet was in or hosted and that have ended, the latest end first, without breakouts. */
  'conference.past': {
    request: z.strictObject({
      limit: z.int().min(1).max(100).default(20),
      /** The `nextCursor` of the page before. */
      cursor: id('room').optional(),
    }),
    response: z.object({
      data: z.array(pastRoom),
      hasMore: z.boolean(),
      /** The `cursor` of the next page; null on the last page. */
      nextCursor: id('room').nullable(),
    }),
  },
  'conference.invite': {
    request: z.strictObject({ ...roomId, addresses: z.array(walletAddress).min(1).max(100) }),
    response: nothing,
  },
  /** Only for hosts. All participants are notified. The host who starts the recording owns it; any host may stop it. */
  'conference.startRecording': { request: room, response: recording },
  'conference.stopRecording': { request: room, response: nothing },
  'conference.raiseHand': {
    request: z.strictObject({ ...roomId, raised: z.boolean().default(true) }),
    response: nothing,
  },
  /** Sends a chat message to all participants. With an `id`, one that is sent again is stored once; the stored message has another id. */
  'conference.sendChat': {
    request: z.strictObject({ ...roomId, content, id: id('msg').optional() }),
    response: chat,
  },
  /**
   * The latest messages, or those before the given one; oldest first. While the room is open, only for participants. After its end for all who
   * were in it: those whom a host has removed, and those who left a room with a gate before, read the messages until they left.
   */
  'conference.getChat': {
    request: z.strictObject({
      ...roomId,
      limit: z.int().min(1).max(100).default(50),
      before: id('msg').optional(),
    }),
    response: z.array(chat),
  },
  /** Sends JSON or bytes to the participants. Only the device that has joined may send. The server stores nothing. */
  'conference.sendData': {
    request: z.strictObject({ ...roomId, ...dataMessage }).refine(...hasOneContent),
    response: nothing,
  },
  /** The wallets in the waiting room, longest wait first. */
  'conference.getWaiting': { request: room, response: z.array(waiter) },
  'conference.admit': { request: wallet, response: nothing },
  /** Admits those who wait, longest wait first, as far as the room has places. */
  'conference.admitAll': {
    request: room,
    response: z.object({
      /** How many were admitted. */
      admitted: z.int(),
      /** How many still wait, because the room is full. */
      waiting: z.int(),
    }),
  },
  'conference.deny': { request: wallet, response: nothing },

  'gatedRooms.create': {
    request: z
      .strictObject({ ...newRoom, ...schedule, gateType, gate: gateConfig })
      .refine(({ gateType: type, gate }) => type === gate.type, {
        error: 'must be the type of the gate',
        path: ['gateType'],
      }),
    response: gatedRoom,
  },
  'gatedRooms.checkAccess': { request: wallet, response: accessResult },
  /** The chains that gates may use, on the session's network. */
  'gatedRooms.getChains': { request: z.strictObject({}), response: z.array(gateChain) },
  /** Gives this wallet an NFT or tokens of an example contract of getChains, which are worth nothing. */
  'gatedRooms.getExample': { request: inspectRequest, response: nothing },
  /** Reads the name, symbol and supported standards of a contract, for a form that edits a gate. */
  'gatedRooms.inspect': { request: inspectRequest, response: contract },
} as const;

const screenShare = z.object({ ...roomId, participantId: id('par') });

export const conferenceEvents = {
  'conference:participant:joined': roomParticipant,
  'conference:participant:left': roomParticipant,
  /** A participant muted or unmuted, turned the camera on or off, raised or lowered a hand, or was given another role. */
  'conference:participant:updated': roomParticipant,
  /** A participant lost its connection and has a grace period to reconnect, by default 20 seconds; or it has reconnected. */
  'conference:participant:away': z.object({
    roomId: id('room'),
    participantId: z.string(),
    isAway: z.boolean(),
  }),
  'conference:screenshare:started': screenShare,
  'conference:screenshare:stopped': screenShare,
  'conference:chat:message': chat,
  /** Data from another participant or from the backend of the room's host. The messages of one sender arrive in order. */
  'conference:data': receivedData,
  /** Recording of the room has started or stopped. */
  'conference:recording': z.object({ ...roomId, recording: z.boolean(), by: partyId }),
  /** The active speakers, sent when the speakers or their order change. Empty when everyone is silent. */
  'conference:speaker:active': speakers,
  /** The current media quality of participants. In a large room each device receives only its own. */
  'conference:quality': qualities,
  /** The room was locked, unlocked or changed by a backend, or its breakouts were created or have ended. `participants` is empty on the wire; the SDK fills it in. */
  'conference:updated': conferenceRoom,
  'conference:ended': conferenceRoom,
  /** Another wallet invites this wallet. */
  'conference:invited': z.object({ room: conferenceRoom, from: partyId }),
  /** A host muted this device's microphone. */
  'conference:muted': z.object(roomId),
  /** This wallet was removed from a room that continues. `access` lists the missing requirements. */
  'conference:removed': z.object({ ...roomId, reason: removalReason, access: accessResult.nullable() }),
  /** To the hosts: a wallet entered or left the waiting room. */
  'conference:waiting:joined': waiter,
  'conference:waiting:left': waiter,
  /** To a wallet in the waiting room: join again. A host admitted it or switched the waiting room off, or another of its devices left the waiting room. */
  'conference:admitted': z.object(roomId),
  /** To a wallet in the waiting room: a host denied it. */
  'conference:denied': z.object(roomId),
} as const;
