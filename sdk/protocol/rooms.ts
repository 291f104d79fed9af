import { z } from 'zod';
import { newBreakouts, newMove } from './breakouts.ts';
import { displayName, id, isoDate, plainText, walletAddress } from './common.ts';
import { changedParticipant, changedRoom, content, newRoom, roomSettings, roomStatus } from './conference.ts';
import { dataMessage, hasOneContent } from './data.ts';
import { gateConfig } from './gates.ts';
import { guestIdentity, participantToken, partyId } from './guests.ts';
import { pageOf, paging } from './http.ts';
import { network } from './session.ts';
import { backendParticipant, eventRecording, eventRoom } from './webhookData.ts';

/* The routes of rooms, for backends. */

const roomIdentifier = plainText.max(64).describe('The id of the room.');
export const roomPath = z.object({ id: roomIdentifier });
export const participantPath = z.object({
  id: roomIdentifier,
  participantId: plainText.max(64).describe('The id of the participant (`par_…`).'),
});
export const tokenPath = z.object({
  id: roomIdentifier,
  tokenId: plainText.max(64).describe('The id of the participant token (`ptk_…`).'),
});

export const createRoom = z
  .strictObject({
    name: newRoom.name.describe('The name, 1 to 100 characters.'),
    /** @default 100 */
    maxParticipants: newRoom.maxParticipants
      .default(100)
      .describe('The maximum number of participants at a time, 2 to 1,000. Default: 100.'),
    video: newRoom.video.describe('Whether the room allows cameras. Default: true.'),
    audio: newRoom.audio.describe('Whether the room allows audio. Default: true.'),
    settings: newRoom.settings.describe('The settings of the room.'),
    /** @default null: no gate */
    gate: gateConfig
      .nullable()
      .default(null)
      .describe(
        'The condition that wallets must meet to enter; null for none. Guests with a participant token never meet one.',
      ),
    network: network
      .optional()
      .describe(
        'The network on whose chains the gate is checked: `mainnet` or `testnet`. Default: that of the session; `mainnet` for an API key.',
      ),
  })
  .meta({ examples: [{ name: 'Stand-up', maxParticipants: 10 }] });

export const changeRoom = changedRoom.meta({
  examples: [{ name: 'Retrospective', settings: { locked: true } }],
});

/** A room of the account. */
export const room = eventRoom.extend({
  host: partyId.describe('The host: the wallet of your account, or `account:…` if it has none.'),
  network,
  maxParticipants: z.int().describe('The maximum number of participants at a time.'),
  participantCount: z.int().describe('The number of participants now.'),
  video: z.boolean().describe('Whether the room allows cameras.'),
  audio: z.boolean().describe('Whether the room allows audio.'),
  settings: roomSettings.describe('The settings.'),
  gate: gateConfig.nullable().describe('The condition that wallets must meet to enter; null without one.'),
  recordedBy: partyId.nullable().describe('Who records the room; null if it is not recorded.'),
  url: z.string().describe('The address of a page for joining the room with a wallet.'),
});

/** A room with its participants, in short. */
export const roomWithParticipants = room.extend({
  participants: z
    .array(
      backendParticipant.pick({ id: true, identity: true, isGuest: true, displayName: true, role: true }),
    )
    .describe('The participants, in the order in which they entered.'),
});

export const roomsQuery = z.strictObject({
  status: roomStatus
    .optional()
    .describe(
      'Only rooms in this state: `waiting`, `active` or `ended`. Default: rooms that have not ended.',
    ),
  ...paging,
});
export const rooms = pageOf(room);

export const participantsQuery = z.strictObject({
  /** A guest's identity, a wallet's address. */
  identity: z
    .union([guestIdentity, walletAddress])
    .optional()
    .meta({
      description: 'Only the participant with this identity: that in the token of a guest, or a wallet.',
      examples: ['alice'],
    }),
  ...paging,
});
export const participants = pageOf(backendParticipant);

export const changeParticipant = changedParticipant.meta({
  examples: [{ role: 'viewer' }, { grants: { canPublish: ['microphone'] } }],
});

export const moveParticipant = z.strictObject({
  to: newMove.to.describe('The room of your account that the participant is moved to.'),
});

export const createBreakouts = z.strictObject(newBreakouts).meta({
  examples: [{ rooms: [{ name: 'Group 1' }, { name: 'Group 2' }], durationSeconds: 600 }],
});
export const breakouts = pageOf(room);

/** A message in the chat of a room. */
export const roomMessage = z.object({
  id: id('msg').describe('The id of the message.'),
  roomId: id('room').describe('The id of the room.'),
  identity: z
    .string()
    .describe(
      'The identity of the sender: that in the participant token of a guest, a wallet, or `account:…`.',
    ),
  isGuest: z.boolean().describe('Whether the sender joined with a participant token.'),
  displayName: displayName.nullable().describe('The name of the sender; null without one.'),
  content: z.string().describe('The text.'),
  sentAt: isoDate.describe('When it was sent.'),
});
export const roomMessages = pageOf(roomMessage);
export const messagesQuery = z.strictObject(paging);

export const newRoomMessage = z
  .strictObject({
    content: content.describe('The text, 1 to 2,000 characters.'),
    displayName: displayName.optional().describe('The name shown as that of the sender. Default: none.'),
  })
  .meta({ examples: [{ content: 'We begin in five minutes.', displayName: 'Reception' }] });

/** Data for the participants of a room. */
export const roomData = z
  .strictObject(dataMessage)
  .refine(...hasOneContent)
  .meta({ examples: [{ topic: 'slide', json: { number: 7 } }] });

/** Whether a room is recorded. */
export const roomRecording = z.object({
  isRecording: z.boolean().describe('Whether the room is being recorded now.'),
  recordedBy: partyId.nullable().describe('Who records it; null if nobody does.'),
  recording: eventRecording
    .nullable()
    .describe('The latest recording of the room that belongs to your account; null if there is none.'),
});

export const tokensQuery = z.strictObject(paging);
export const tokens = pageOf(participantToken);
