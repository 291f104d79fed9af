import type {
  usageQuery,
  historyQuery,
  WireAccount,
  WireAccountCredits,
  WireAccountUsage,
  WireCheckout,
  WireMovement,
  WirePayment,
  WirePlan,
  WireSubscription,
} from '../protocol/account.ts';
import type {
  auditQuery,
  createApiKey,
  WireApiKey,
  WireAuditRow,
  WireCreatedApiKey,
  WirePublishableKey,
  WireRevokedApiKey,
} from '../protocol/apiKeys.ts';
import type { WireCall, WireCallRecord } from '../protocol/calls.ts';
import type { Address, FromWire } from '../protocol/common.ts';
import type {
  RemovalReason as WireRemovalReason,
  WireConferenceRoom,
  WireRoomChat,
  WireRoomSettings,
  WireWaiter,
} from '../protocol/conference.ts';
import type {
  GateConfigInput,
  GateType,
  WireAccessResult,
  WireContract,
  WireGateChain,
} from '../protocol/gates.ts';
import type { WireMediaInfo } from '../protocol/files.ts';
import type { BodyOf, Page as WirePage, QueryOf } from '../protocol/http.ts';
import type { Scope, Source, WireParticipant } from '../protocol/media.ts';
import type { messageEvents, WireConversation, WireMessage, WireReaction } from '../protocol/messages.ts';
import type { ParleyError } from '../protocol/errors.ts';
import type { PushMessage, WirePreferences } from '../protocol/notifications.ts';
import type { paymentsQuery, WirePayment as WireRequestPayment } from '../protocol/payments.ts';
import type { WireStatus } from '../protocol/status.ts';
import type { linkIdentity, WireIdentity, WireProvider } from '../protocol/identities.ts';
import type { WireRecording } from '../protocol/recordings.ts';
import type { WireLiveStream, WireStreamChat, WireViewer } from '../protocol/streaming.ts';
import type { EventOf } from '../protocol/wire.ts';
import type { WireTranscription, WireVoicemail } from '../protocol/voicemail.ts';
import type { WireAnySession, WireSession } from '../protocol/session.ts';

export type { Address, EvmAddress } from '../protocol/common.ts';
export type { ErrorCode, ErrorDetail } from '../protocol/errors.ts';
export type { CallStatus, CallType } from '../protocol/calls.ts';
export type { RoomStatus, ParticipantRole } from '../protocol/conference.ts';
export type { GateType } from '../protocol/gates.ts';
export type { KeyScope } from '../protocol/http.ts';
export type { Scope, Source } from '../protocol/media.ts';
export type { PublishedBy, StreamQuality, StreamStatus, WatchedBy } from '../protocol/streaming.ts';
export type { MessageStatus, MessageType } from '../protocol/messages.ts';
export type { RecordingKind, RecordingStatus } from '../protocol/recordings.ts';
export type { PushKind } from '../protocol/notifications.ts';
export type { PushSettings, PushTexts } from './worker/showsOf.ts';
/** Whose picture: a track, or whatever this participant sends from this source. */

export type Watched =
  | MediaStreamTrack
  | {
      /** A participant's id, or a wallet's address. */
      participant: string;
      source: Source;
    };

export type { Network } from '../protocol/session.ts';

/** A call as this wallet sees it. */
export type Call = FromWire<WireCall>;
/** A call that is over: completed (somebody answered), missed or declined. */
export type CallRecord = FromWire<WireCallRecord>;
/** Somebody in a call or room. */
export type Participant = FromWire<WireParticipant>;
/** A room for many. `participants` is empty for who may not know who is in it. */
export type ConferenceRoom = FromWire<WireConferenceRoom>;
/** A room with a gate. */
export type GatedRoom = ConferenceRoom & { gateType: GateType; gate: GateConfig };
/** How a room is; times in seconds. */
export type RoomSettings = WireRoomSettings;
/** What a wallet has to hold or be. Amounts are decimal strings in base units. */
export type GateConfig = GateConfigInput;
/** Whether a wallet is let in, and what it has and lacks, in words. */
export type AccessResult = WireAccessResult;
/** How a contract describes itself; `kinds` are what it can be asked for. */
export type ContractFacts = WireContract;
/** A chain gates may name. */
export type GateChain = WireGateChain;
/** Somebody in front of a room's door. */
export type RoomWaiter = FromWire<WireWaiter>;
/** Something said in a room, and by whom. */
export type ChatMessage = FromWire<WireRoomChat>;
/** Who wrote in a room's or stream's chat. */
export type Sender = ChatMessage['sender'];
/** Why this wallet is out of a room that goes on; `away`: its device was away for too long. */
export type RemovalReason = WireRemovalReason | 'away';
/** A live stream. `streamKey` is there for its host alone. */
export type LiveStream = FromWire<WireLiveStream>;
/** Somebody who watches, once, on however many devices and ways. */
export type Viewer = FromWire<WireViewer>;
/** Something said beside a stream, and by whom. */
export type StreamChatMessage = FromWire<WireStreamChat>;
/** A message as this wallet sees it. */
export type Message = FromWire<WireMessage>;
export type Reaction = FromWire<WireReaction>;
/** What two wallets wrote to each other, as one of them sees it. */
export type Conversation = FromWire<WireConversation>;
type OfMessages<Name extends keyof typeof messageEvents> = FromWire<EventOf<Name>>;
/** A wallet's sign-in: a token for an hour and the refresh token for the next. */
export type Session = FromWire<WireSession>;
/** The session of somebody an outside identity provider has signed in: without a wallet, where the account has none. */
export type ProviderSession = FromWire<WireAnySession>;
/** The outside identity provider of a server, and what to ask it for. */
export type Provider = FromWire<WireProvider>;
/** One way to sign in to an account. */
export type AccountIdentity = FromWire<WireIdentity>;
/** What proves another identity: a wallet's signed message, or a provider's token. */
export type IdentityProof = BodyOf<typeof linkIdentity>;

/** The account behind the key or session: its credits, and how the request was signed in. */
export type AccountInfo = FromWire<WireAccount>;
/** Whole credits, a cent of a US dollar each. */
export type Credits = FromWire<WireAccountCredits>;
export type Usage = FromWire<WireAccountUsage>;
export type UsageQuery = QueryOf<typeof usageQuery>;
/** One movement of credits. */
export type Movement = FromWire<WireMovement>;
export type HistoryQuery = QueryOf<typeof historyQuery>;
export type Subscription = FromWire<WireSubscription>;
export type Plan = FromWire<WirePlan>;
/** A page at Stripe where something is paid. */
export type Checkout = FromWire<WireCheckout>;
/** Money that came, or may come. */
export type Payment = FromWire<WirePayment>;
/** A request that was paid for by itself (x402), as the operator sees it. */
export type RequestPayment = FromWire<WireRequestPayment>;
export type RequestPaymentQuery = QueryOf<typeof paymentsQuery>;
/** The server's version, and which of its services are configured. */
export type ServerStatus = FromWire<WireStatus>;
/** What a wallet wants to be told of while its apps are closed. */
export type NotificationPreferences = Partial<WirePreferences>;
/** What a notification that was shown is about. */
export type PushNotification = FromWire<PushMessage>;
/** An API key; its secret is not part of it. */
export type ApiKey = FromWire<WireApiKey>;
/** A new API key with its secret, which is shown this once. */
export type CreatedApiKey = FromWire<WireCreatedApiKey>;
export type NewApiKey = BodyOf<typeof createApiKey>;
/** A key that was revoked, and the webhooks it had set. */
export type RevokedApiKey = FromWire<WireRevokedApiKey>;
export type PublishableKey = FromWire<WirePublishableKey>;
export type AuditRow = FromWire<WireAuditRow>;
export type AuditQuery = QueryOf<typeof auditQuery>;
/** One page of a list; `nextCursor` is the next one's cursor, null on the last. */
export type Page<Item> = WirePage<Item>;
/** Which page, of at most `limit` (default 50, at most 100). */
export interface PageQuery {
  limit?: number;
  cursor?: string;
}

/** A spoken message. `audioUrl` is signed and good for about an hour. */
export type Voicemail = FromWire<WireVoicemail>;
/** A stream, room or call that was recorded, or is being recorded. `url` and `files` are there once it is `ready`. */
export type Recording = FromWire<WireRecording>;
/** What was said in a voicemail; `segments` say when, in seconds. */
export type Transcription = FromWire<WireTranscription>;
/** A picture, video or sound on the server; `url` is signed and good for about an hour, `&thumbnail` behind it gives a small picture. */
export type MediaInfo = FromWire<WireMediaInfo>;
/** A file to send. What it is the server finds out by itself. */
export interface MediaConfig {
  file: Blob | Uint8Array;
  mimeType?: string;
  name?: string;
}
export interface UploadOptions extends Omit<MediaConfig, 'file'> {
  /** Called as the file goes out: bytes. */
  onProgress?: (progress: { loaded: number; total: number }) => void;
  /** Gives the upload up. */
  signal?: AbortSignal;
}

/** A browser's localStorage or sessionStorage, or what does the same. */
export type SessionStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** `idle` before the first use; `closed` after close() or when the session can't be renewed. */
export type ConnectionState = 'idle' | 'connecting' | 'connected' | 'reconnecting' | 'closed';

/** What a camera may be sent in. Every browser decodes VP8. */
export type VideoCodec = 'vp8' | 'h264' | 'vp9';

/** What to ask the camera for; the browser comes as close as it can. */
export interface VideoConfig {
  deviceId?: string;
  facingMode?: 'user' | 'environment';
  /** Pixels. */
  width?: number;
  /** Pixels. */
  height?: number;
  /** Frames a second. */
  frameRate?: number;
  /** @default 'vp8' */
  codec?: VideoCodec;
}

/** A remote track to show or play. `stream` groups what belongs together: camera and microphone, or screen and its sound. */
export interface MediaTrack {
  scope: Scope;
  /** The call's, room's or stream's id. */
  id: string;
  participant: Participant;
  source: Source;
  track: MediaStreamTrack;
  stream: MediaStream;
}

/** Every event and what its handler is given. */
export type ParleyEvents = {
  /** Somebody calls this wallet. */
  'call:incoming': Call;
  /** The callee took the call; or another device of this wallet did. */
  'call:answered': Call;
  'call:ended': Call;
  'call:declined': Call;
  'call:missed': Call;
  /** The other party muted, unmuted, or turned the camera on or off. */
  'call:participant:updated': Participant;
  /** The other party's connection is lost, and it has 20 seconds to come back; or it is back. */
  'call:participant:away': { callId: string; walletAddress: Address; isAway: boolean };
  /** What both send is recorded from now on, or no longer. */
  'call:recording': { callId: string; recording: boolean; by: Address };
  'conference:participant:joined': Participant;
  'conference:participant:left': Participant;
  /** Muted, unmuted, camera on or off, a hand raised, another role; this wallet's own, too. */
  'conference:participant:updated': Participant;
  /** A participant's connection is lost, and it has 20 seconds to come back; or it is back. */
  'conference:participant:away': { roomId: string; participantId: string; isAway: boolean };
  'conference:screenshare:started': { roomId: string; participantId: string };
  'conference:screenshare:stopped': { roomId: string; participantId: string };
  'conference:chat:message': ChatMessage;
  /** Who speaks, the loudest first, whenever that or their order changes; nobody when it falls silent. `level` is 0 to 1. */
  'conference:speaker:active': { roomId: string; speakers: { participantId: string; level: number }[] };
  /** How well somebody's media gets through, 0 to 10, null where there is none. Of others in rooms of up to 30 people. */
  'conference:quality': {
    roomId: string;
    participantId: string;
    sending: number | null;
    receiving: number | null;
  };
  /** Locked or unlocked. */
  'conference:updated': ConferenceRoom;
  /** What everybody in the room sends is recorded from now on, or no longer. */
  'conference:recording': { roomId: string; recording: boolean; by: Address };
  'conference:ended': ConferenceRoom;
  /** Somebody invites this wallet to a room. */
  'conference:invited': { room: ConferenceRoom; from: Address };
  /** A host has muted this device's microphone. */
  'conference:muted': { roomId: string };
  /** This wallet is out of a room that goes on. `access` says what it lacks for its gate. */
  'conference:removed': { roomId: string; reason: RemovalReason; access: AccessResult | null };
  /** A join waits in front of the door, until a host opens. */
  'conference:waiting': { roomId: string };
  /** For hosts: somebody is in front of the door, or no longer. */
  'conference:waiting:joined': RoomWaiter;
  'conference:waiting:left': RoomWaiter;
  /** For the host: somebody begins to watch, or no longer does. When many do at once, the count alone tells of all. */
  'stream:viewer:joined': { streamId: string; viewer: Viewer };
  'stream:viewer:left': { streamId: string; viewer: Viewer };
  /** How many watch, once a second at most. */
  'stream:viewer:count': { streamId: string; count: number };
  'stream:chat:message': StreamChatMessage;
  'stream:chat:deleted': { streamId: string; messageId: string };
  /** It is live; or waits for its publisher, or has it back (`isSending`). */
  'stream:updated': LiveStream;
  'stream:ended': LiveStream;
  /** This wallet may not watch any more. */
  'stream:removed': { streamId: string; reason: 'banned' | 'access_lost' | 'access_unknown' };
  /** Another device or program publishes now; this one's camera and microphone are off. */
  'stream:replaced': { streamId: string };
  /** Somebody has left a voicemail for this wallet. */
  'voicemail:received': Voicemail;
  /** A recording of this wallet's has begun, ended, become ready, or failed. */
  'recording:updated': Recording;
  /** A remote track arrived: attach `stream` to a video or audio element. */
  'media:track': MediaTrack;
  'media:track:ended': MediaTrack;
  /** Own tracks changed: `stream` is what localStream(id) returns. */
  'media:local': { scope: Scope; id: string; stream: MediaStream };
  /** Media could not be set up again by itself. */
  'media:failed': { scope: Scope; id: string; error: Error };
  /** Another device of this wallet took this one's part over; its media here has ended. */
  'media:replaced': { scope: Scope; id: string };
  /** One of this client's own is on its way; the promise of send() tells when the server has it. */
  'message:sending': Message;
  /** One of this client's own did not get to the server: retry() or discard() it. */
  'message:failed': { message: Message; error: Error };
  'message:received': Message;
  /** Another device of this wallet sent it; or this one, of what was on its way before the page was loaded anew. */
  'message:sent': Message;
  /** A device of the other has this message of ours, and all before it. */
  'message:delivered': OfMessages<'message:delivered'>;
  /** This message was read, and all before it: by the other, or on another device of this wallet. */
  'message:read': OfMessages<'message:read'>;
  'message:reaction': OfMessages<'message:reaction'>;
  'message:deleted': OfMessages<'message:deleted'>;
  'typing:start': { from: Address };
  'typing:stop': { from: Address };
  /** This device was away for longer than the server keeps what happened: read anew what you show. */
  'session:missed': Record<string, never>;
  /** The user has clicked a notification, and this page was opened before. */
  'notification:clicked': PushNotification;
  /** `error` says why it is closed, where nobody asked for that. */
  'connection:changed': { state: ConnectionState; error?: ParleyError };
};
