import { z } from 'zod';
import { id, isoDate, nothing, plainText, walletAddress } from './common.ts';
import { conferenceRoom } from './conference.ts';
import { answeredMedia, participant, wantedMedia } from './media.ts';
import { recording } from './recordings.ts';

export const callType = z.enum(['audio', 'video']);
export const callStatus = z.enum(['ringing', 'active', 'ended', 'missed', 'declined']);
const callDirection = z.enum(['incoming', 'outgoing']);

export const call = z.object({
  id: id('call'),
  from: walletAddress,
  to: walletAddress,
  type: callType,
  status: callStatus,
  /** From the point of view of the wallet that receives this object. */
  direction: callDirection,
  /** When it started to ring. */
  startedAt: isoDate.nullable(),
  answeredAt: isoDate.nullable(),
  endedAt: isoDate.nullable(),
  /** Seconds from the answer to the end; null until an answered call has ended. */
  duration: z.number().nullable(),
  /**
   * Why it ended: `hangup`, `cancelled`, `timeout`, `connection_lost`, `busy`, `declined`, `failed` (the call could not be set up),
   * `moved` (the call has become a room) or the callee's own reason.
   */
  endReason: z.string().nullable(),
  /** The wallet that records the call; null if it is not recorded. */
  recordedBy: walletAddress.nullable(),
  isRecording: z.boolean(),
  /** The room that the call has become; null if it has become none. Missing from servers of older releases. */
  movedTo: id('room').nullable().optional(),
});

export const callRecord = call.extend({ status: z.enum(['completed', 'missed', 'declined']) });

export type WireCall = z.infer<typeof call>;
export type WireCallRecord = z.infer<typeof callRecord>;
/** The state of a call. */
export type CallStatus = z.infer<typeof callStatus>;
/** Whether a call starts with video. */
export type CallType = z.infer<typeof callType>;

const callId = z.strictObject({ callId: id('call') });
/** The answer to a request that enters a call. */
const enteredCall = call.extend(answeredMedia);
export type WireEnteredCall = z.infer<typeof enteredCall>;

export const callRequests = {
  'calls.start': {
    request: z.strictObject({ to: walletAddress, type: callType, ...wantedMedia }),
    response: enteredCall,
  },
  'calls.answer': { request: callId.extend(wantedMedia), response: enteredCall },
  'calls.decline': {
    request: z.strictObject({ callId: id('call'), reason: plainText.trim().min(1).max(200).optional() }),
    response: nothing,
  },
  'calls.end': { request: callId, response: nothing },
  /**
   * Makes an active call a room of this wallet, and invites these wallets. The call ends with the reason `moved`. The devices of both
   * parties then join the room `movedTo`, with the same request as after a lost connection.
   */
  'calls.addPeople': {
    request: callId.extend({ addresses: z.array(walletAddress).min(1).max(50) }),
    response: conferenceRoom,
  },
  'calls.mute': { request: callId, response: nothing },
  'calls.unmute': { request: callId, response: nothing },
  'calls.enableVideo': { request: callId, response: nothing },
  'calls.disableVideo': { request: callId, response: nothing },
  'calls.getHistory': {
    request: z.strictObject({
      limit: z.int().min(1).max(100).default(50),
      offset: z.int().min(0).max(100_000).default(0),
      status: z.enum(['completed', 'missed', 'declined']).optional(),
      direction: callDirection.optional(),
      with: walletAddress.optional(),
      from: isoDate.optional(),
      to: isoDate.optional(),
    }),
    response: z.array(callRecord),
  },
  'calls.getActive': { request: nothing, response: z.array(call) },
  'calls.rejoin': {
    request: z.strictObject({
      callId: id('call'),
      /**
       * The ids of this device's connections, including earlier ones. If the call is on any other connection, the request fails, so
       * that a returning device does not take the call from another device.
       */
      held: z.array(plainText.max(64)).max(16).optional(),
      ...wantedMedia,
    }),
    response: enteredCall,
  },
  /** Either party may record an answered call. Both parties are notified, and the one who starts the recording owns it. */
  'calls.startRecording': { request: callId, response: recording },
  'calls.stopRecording': { request: callId, response: nothing },
  'calls.block': { request: z.strictObject({ address: walletAddress }), response: nothing },
  'calls.unblock': { request: z.strictObject({ address: walletAddress }), response: nothing },
  'calls.getBlocked': { request: nothing, response: z.array(walletAddress) },
} as const;

export const callEvents = {
  /** Another wallet calls this wallet. */
  'call:incoming': call,
  /** To the caller, and to the callee's other devices, which stop ringing. */
  'call:answered': call,
  /** If `movedTo` is set, the call has become that room. */
  'call:ended': call,
  'call:declined': call,
  'call:missed': call,
  /** To both parties: recording of the call has started or stopped. */
  'call:recording': z.object({ callId: id('call'), recording: z.boolean(), by: walletAddress }),
  /** The other party muted or unmuted, or turned the camera on or off, or started or stopped sharing a screen. */
  'call:participant:updated': participant,
  /** The quality of the media of one party, sent to both when it changes: from 0 (nothing arrives) to 10, or null without media. */
  'call:quality': z.object({
    callId: id('call'),
    participantId: z.string(),
    walletAddress,
    sending: z.number().min(0).max(10).nullable(),
    receiving: z.number().min(0).max(10).nullable(),
  }),
  /** The other party lost its connection and has a grace period to reconnect, by default 20 seconds; or it has reconnected. */
  'call:participant:away': z.object({ callId: id('call'), walletAddress, isAway: z.boolean() }),
} as const;
