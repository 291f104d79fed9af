import type { UploadFile } from './platform/Platform.ts';
import type { WireCall, WireCallRecord } from '../protocol/calls.ts';
import type { MoveReason } from '../protocol/breakouts.ts';
import type { Address, FromWire } from '../protocol/common.ts';
import type { JsonValue } from '../protocol/data.ts';
import type { PartyId } from '../protocol/party.ts';
import type {
  RemovalReason as WireRemovalReason,
  WireConferenceRoom,
  WireRoomChat,
  WireRoomSettings,
  WirePastRoom,
  WireWaiter,
} from '../protocol/conference.ts';
import type {
  GateConfig as WireGate,
  GateConfigInput,
  GateType,
  WireAccessResult,
  WireContract,
  WireGateChain,
} from '../protocol/gates.ts';
import type { WelcomedGuest } from '../protocol/guests.ts';
import type { WireMediaInfo } from '../protocol/files.ts';
import type { Page as WirePage } from '../protocol/http.ts';
import type { Scope, Source, WireParticipant } from '../protocol/media.ts';
import type { WireGroup, WireGroupMember, WireGroupSummary } from '../protocol/groups.ts';
import type { messageEvents, WireConversation, WireMessage, WireReaction } from '../protocol/messages.ts';
import type { ParleyError } from '../protocol/errors.ts';
import type { DeviceKind, DeviceList } from './media/mediaTypes.ts';
import type { WirePerson, WireProfile, WireSavedContact } from '../protocol/people.ts';
import type { PushMessage, WirePreferences } from '../protocol/notifications.ts';
import type { WireStatus } from '../protocol/status.ts';
import type { WireProvider } from '../protocol/identities.ts';
import type { WireRecording } from '../protocol/recordings.ts';
import type { WireLiveStream, WireStreamChat, WireViewer } from '../protocol/streaming.ts';
import type { EventOf } from '../protocol/wire.ts';
import type { WireTranscription, WireVoicemail } from '../protocol/voicemail.ts';
import type { WireAnySession, WireSession } from '../protocol/session.ts';

export type * from './media/mediaTypes.ts';
export type { Address, EvmAddress } from '../protocol/common.ts';
export type { Grants, Publishable } from '../protocol/guests.ts';
export type { AccountHost, GuestId, PartyId } from '../protocol/party.ts';
export type { AnyReason, ErrorCode, ErrorDetail } from '../protocol/errors.ts';
export type { Reason } from '../protocol/reasons.ts';
export type { CallStatus, CallType } from '../protocol/calls.ts';
export type { RoomEntry, RoomStatus, ParticipantRole } from '../protocol/conference.ts';
export type { JsonValue } from '../protocol/data.ts';
export type { MoveReason } from '../protocol/breakouts.ts';
export type { GateType } from '../protocol/gates.ts';
export type { KeyScope } from '../protocol/http.ts';
export type { Scope, Source } from '../protocol/media.ts';
export type { PublishedBy, StreamQuality, StreamStatus, WatchedBy } from '../protocol/streaming.ts';
export type { MessageStatus, MessageType } from '../protocol/messages.ts';
export type { RecordingKind, RecordingStatus } from '../protocol/recordings.ts';
export type { GroupId, Recipient } from '../protocol/group.ts';
export type { GroupRole, GroupStanding } from '../protocol/groups.ts';
export type { PushKind } from '../protocol/notifications.ts';
export type { PushSettings, PushTexts } from './worker/notificationOf.ts';
/** The video that an element shows: a track, or a participant's source. */
export type Watched =
  | MediaStreamTrack
  | {
      /** A participant's id or a wallet's address. */
      participant: string;
      source: Source;
    };

export type {
  AudioRecorder,
  FileAddress,
  PlatformOptions,
  SessionStorage,
  UploadFile,
} from './platform/Platform.ts';
export type { Network } from '../protocol/session.ts';

/** A call as this wallet sees it. */
export type Call = FromWire<WireCall>;
/** A call that is over: completed (it was answered), missed or declined. */
export type CallRecord = FromWire<WireCallRecord>;
/** A participant of a call or room. */
export type Participant = FromWire<WireParticipant>;
/** A guest: what its participant token says. `subjectId` is the room or stream that it may enter. */
export type Guest = FromWire<WelcomedGuest>;
/** A conference room. `participants` is empty if this wallet could not join the room. */
export type ConferenceRoom = FromWire<WireConferenceRoom>;
/** A room with a gate. */
export type GatedRoom = ConferenceRoom & { gateType: GateType; gate: GateConfig };
/** The settings of a room. Times are in seconds. */
export type RoomSettings = WireRoomSettings;
/**
 * The condition a wallet must meet to enter. Amounts are decimal strings in base units. A `multi` has 1 to 10 conditions; they nest at most
 * three levels deep, with at most 20 conditions and 200 token ids in all.
 */
export type GateConfig = GateConfigInput;
/** A gate as the server returns it, with all fields. */
export type Gate = FromWire<WireGate>;
/** Whether a wallet may enter, and which requirements it meets and lacks, as text for people. */
export type AccessResult = WireAccessResult;
/** A contract's name, symbol and decimals. `kinds` lists the kinds of conditions that a gate can use it in. */
export type ContractFacts = WireContract;
/** A chain that a gate may use. */
export type GateChain = WireGateChain;
/** A wallet in a room's waiting room. */
export type RoomWaiter = FromWire<WireWaiter>;
/** A room that has ended, with the times of this wallet in it, its recordings of the room, and the number of messages that it can read. */
export type PastRoom = FromWire<WirePastRoom>;
/** A chat message in a room, and its sender. */
export type ChatMessage = FromWire<WireRoomChat>;
/** Data that another participant of a room, or the backend of its host, has sent. */
export interface RoomData {
  roomId: string;
  /** The id of the participant who sent it; null for the backend. */
  from: string | null;
  /** The wallet or guest who sent it; null for the backend. */
  walletAddress: PartyId | null;
  /** true for a guest; missing for a wallet and for the backend. */
  isGuest?: true | undefined;
  topic: string;
  data: Uint8Array | JsonValue;
}
/** The recipients of data, and whether it may be dropped. */
export interface SendDataOptions {
  /** The ids of the participants to send it to, 1 to 100. @default everybody in the room */
  to?: string[];
  /** false drops it for participants whose connection is congested. @default true */
  reliable?: boolean;
}
/** The sender of a chat message in a room or stream. */
export type Sender = ChatMessage['sender'];
/**
 * Why this wallet was removed from a room that continues. `kicked`: by a host. `access_lost`: it no longer meets the gate.
 * `access_unknown`: the gate could not be checked for too long. `revoked`: its participant token was revoked. `away`: its device lost the
 * connection for longer than the grace period. Only after `kicked` does it need an invitation to return.
 */
export type RemovalReason = WireRemovalReason | 'away';
/** A live stream. Only its host gets `streamKey`; it is empty for all others. */
export type LiveStream = FromWire<WireLiveStream>;
/** A viewer of a stream. A wallet is one viewer, however many devices it watches on. */
export type Viewer = FromWire<WireViewer>;
/** A chat message of a stream, and its sender. */
export type StreamChatMessage = FromWire<WireStreamChat>;
/** A message as this wallet sees it. */
export type Message = FromWire<WireMessage>;
/** An emoji that a wallet has added to a message. */
export type Reaction = FromWire<WireReaction>;
/** The messages between two wallets, as one of them sees it. */
export type Conversation = FromWire<WireConversation>;

/** A group of wallets that write to each other, as this wallet sees it. */
export type GroupSummary = FromWire<WireGroupSummary>;

/** A group with its members. */
export type Group = FromWire<WireGroup>;

/** A member of a group, or a wallet that is invited. */
export type GroupMember = FromWire<WireGroupMember>;
type OfMessages<Name extends keyof typeof messageEvents> = FromWire<EventOf<Name>>;
/** A wallet's session: an access token that is valid for one hour, and a refresh token for the next session. */
export type Session = FromWire<WireSession>;
/** A session from an outside identity provider. Its wallet is null if the account has none. */
export type ProviderSession = FromWire<WireAnySession>;
/** The outside identity provider of a server, with the parameters that a sign-in page needs. */
export type Provider = FromWire<WireProvider>;

/** The server's version and the availability of its services. */
export type ServerStatus = FromWire<WireStatus>;
/** What this wallet tells others about itself. `avatarUrl` is signed and valid for about an hour. */
export type Profile = FromWire<WireProfile>;
/** A wallet as this wallet knows it. `name` is the best of its names, or null. `avatarUrl` is signed and valid for about an hour. */
export type Person = FromWire<WirePerson>;
/** A wallet that this wallet has saved under a name. */
export type SavedContact = FromWire<WireSavedContact>;
/** The kinds of push notifications a wallet wants. */
export type NotificationPreferences = Partial<WirePreferences>;
/** What a push notification is about: a call, message, voicemail or invitation. */
export type PushNotification = FromWire<PushMessage>;
/** One page of a list. `nextCursor` is the cursor of the next page, null on the last page. */
export type Page<Item> = WirePage<Item>;
/** Selects a page of a list. */
export interface PageQuery {
  /** Items per page, 1 to 100. @default 50 */
  limit?: number;
  /** The `nextCursor` of the previous page. @default the first page */
  cursor?: string;
}

/** A voicemail. `audioUrl` is signed and valid for about an hour. */
export type Voicemail = FromWire<WireVoicemail>;
/** A recording of a stream, room or call. `url` is set and `files` are complete once it is `ready`. */
export type Recording = FromWire<WireRecording>;
/** The text of a voicemail. Each of the `segments` has its `start` and `end`, in seconds. */
export type Transcription = FromWire<WireTranscription>;
/**
 * An image, video, audio file or document on the server. `url` is signed and valid for about an hour. With `&thumbnail` appended, it returns a
 * thumbnail of an image or video.
 */
export type MediaInfo = FromWire<WireMediaInfo>;
/** A file to send. */
export interface MediaConfig {
  /** At most 25 MB: a Blob or File, bytes, or the address of a file (`{ uri }`), as React Native's pickers return it. */
  file: UploadFile;
  /** Has no effect: the server determines the type from the content. */
  mimeType?: string;
  /** The file name. @default the name of `file`, if it is a File or has one */
  name?: string;
}
/** How to upload a file. */
export interface UploadOptions extends Omit<MediaConfig, 'file'> {
  /** `file` for a document: any content, stored unchanged, for download only. @default an image, video or audio file */
  as?: 'file';
  /** Called during the upload, with the number of bytes sent so far (`loaded`) and in all (`total`). */
  onProgress?: (progress: { loaded: number; total: number }) => void;
  /** Aborts the upload. Its promise then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** `idle` before the first request and after suspend(); `closed` after close() or signOut(), or when the session cannot be renewed. */
export type ConnectionState = 'idle' | 'connecting' | 'connected' | 'reconnecting' | 'closed';

/** A remote track to show or play. `stream` contains a participant's camera and microphone, or their screen and its audio. */
export interface MediaTrack {
  scope: Scope;
  /** The id of the call, room or stream. */
  id: string;
  participant: Participant;
  source: Source;
  track: MediaStreamTrack;
  stream: MediaStream;
}

/** A state that changes. It fits React's useSyncExternalStore. */
export interface Observable<State> {
  /** The current state: the same object until it changes. Never throws. */
  get: () => State;
  /** Calls a listener after each change. Returns a function that ends this. Never throws. */
  subscribe: (listener: () => void) => () => void;
}

/**
 * All events, with the payload that their handlers get. The device that answers, declines or ends a call, leaves or ends a room, ends a
 * stream, or writes in a chat gets no event for that: the promise of its method resolves instead.
 */
export type ParleyEvents = {
  /** A wallet calls this wallet. */
  'call:incoming': Call;
  /** The callee, or another device of this wallet, has answered the call. */
  'call:answered': Call;
  /** An answered call is over. If its `movedTo` is set, it has become that room, and this device has not moved there. */
  'call:ended': Call;
  /**
   * The call has become a room, because a party has added people. This device is in `room` now, with the same camera and microphone. A
   * shared screen has ended. If an app does not listen to this event, its devices do not move: they get `call:ended`, and the party that did
   * not add people gets `conference:invited`.
   */
  'call:moved': { callId: string; room: ConferenceRoom };
  /** The callee has declined. */
  'call:declined': Call;
  /** The call was not answered in time, or the caller has hung up or lost the connection before it was answered. */
  'call:missed': Call;
  /** The other party has muted or unmuted the microphone, switched the camera on or off, or started or stopped sharing a screen. */
  'call:participant:updated': Participant;
  /** The other party has lost its connection (`isAway`) and has a grace period to return, by default 20 seconds; or it has returned. */
  'call:participant:away': { callId: string; walletAddress: Address; isAway: boolean };
  /**
   * The network quality of this device's media (`isOwn`) or of the other party's, in each direction: from 0 (nothing arrives) to 10, or
   * null without media. Sent when it changes.
   */
  'call:quality': {
    callId: string;
    walletAddress: Address;
    isOwn: boolean;
    sending: number | null;
    receiving: number | null;
  };
  /** A recording of the call has started or stopped. */
  'call:recording': { callId: string; recording: boolean; by: Address };
  /** Another participant has entered the room. */
  'conference:participant:joined': Participant;
  /** Another participant has left the room or was removed. */
  'conference:participant:left': Participant;
  /**
   * A participant has muted or unmuted, switched the camera on or off, started or stopped sharing a screen, raised or lowered a hand, or
   * got another role or name. Sent for this wallet too.
   */
  'conference:participant:updated': Participant;
  /** A participant has lost the connection (`isAway`) and has a grace period to return, by default 20 seconds; or has returned. */
  'conference:participant:away': { roomId: string; participantId: string; isAway: boolean };
  'conference:screenshare:started': { roomId: string; participantId: string };
  'conference:screenshare:stopped': { roomId: string; participantId: string };
  'conference:chat:message': ChatMessage;
  /** Another participant, or the backend of the room's host, has sent data. The messages of one sender arrive in order. */
  'conference:data': RoomData;
  /** The active speakers or their order have changed. The loudest comes first; the list is empty in silence. `level` is from 0 to 1. */
  'conference:speaker:active': { roomId: string; speakers: { participantId: string; level: number }[] };
  /**
   * The network quality of a participant's media in each direction: from 0 (nothing arrives) to 10, or null without media. In rooms of more
   * than 30 people, this client gets only its own quality.
   */
  'conference:quality': {
    roomId: string;
    participantId: string;
    sending: number | null;
    receiving: number | null;
  };
  /** The room was locked or unlocked, its backend has changed it, or its breakouts were created or have ended. */
  'conference:updated': ConferenceRoom;
  /** A recording of the room has started or stopped. */
  'conference:recording': { roomId: string; recording: boolean; by: PartyId };
  'conference:ended': ConferenceRoom;
  /** A host has invited this wallet to a room. */
  'conference:invited': { room: ConferenceRoom; from: PartyId };
  /** A host has muted this device's microphone. */
  'conference:muted': { roomId: string };
  /** This wallet was removed from a room that continues. If it no longer meets the gate, `access` says which requirements it lacks. */
  'conference:removed': { roomId: string; reason: RemovalReason; access: AccessResult | null };
  /**
   * A host or backend has moved this device to another room, or its breakout has ended (`ended`). The device is in `room` now, with the same
   * camera and microphone. A shared screen has ended.
   */
  'conference:moved': { fromRoomId: string; room: ConferenceRoom; reason: MoveReason };
  /** For hosts: a participant of a breakout asks for a host. `roomId` and `roomName` are those of the breakout. */
  'conference:host:called': { roomId: string; roomName: string; parentId: string; participant: Participant };
  /** This wallet is in the waiting room until a host admits it. */
  'conference:waiting': { roomId: string };
  /** For hosts: a wallet has entered the waiting room. */
  'conference:waiting:joined': RoomWaiter;
  /** For hosts: a wallet has left the waiting room. */
  'conference:waiting:left': RoomWaiter;
  /** For the host: a viewer has started watching. When many viewers do so at the same time, only the count is sent. */
  'stream:viewer:joined': { streamId: string; viewer: Viewer };
  /** For the host: a viewer has stopped watching. When many viewers do so at the same time, only the count is sent. */
  'stream:viewer:left': { streamId: string; viewer: Viewer };
  /** The number of viewers has changed. At most once per second. */
  'stream:viewer:count': { streamId: string; count: number };
  'stream:chat:message': StreamChatMessage;
  'stream:chat:deleted': { streamId: string; messageId: string };
  /** The stream has gone live, its publisher was lost or has returned (see `isSending`), or its backend has changed it. */
  'stream:updated': LiveStream;
  'stream:ended': LiveStream;
  /**
   * This wallet or guest may no longer watch. `access_unknown`: the gate could not be checked for too long. `revoked`: the participant token
   * was revoked. `replaced`: another device uses it now.
   */
  'stream:removed': {
    streamId: string;
    reason: 'banned' | 'access_lost' | 'access_unknown' | 'revoked' | 'replaced';
  };
  /** Another device or program has taken over publishing. This device's camera and microphone are switched off. */
  'stream:replaced': { streamId: string };
  /** A wallet has left a voicemail for this wallet. */
  'voicemail:received': Voicemail;
  /**
   * The name or image of a wallet may have changed: read it again with `people.get()`. Also sent for this wallet's own profile, and to all its
   * devices when it saves or removes a contact.
   */
  'person:updated': { walletAddress: Address };
  /** One of this wallet's recordings has started, stopped, become ready, or failed. */
  'recording:updated': Recording;
  /** A remote track has arrived. Attach `stream` to a video or audio element. */
  'media:track': MediaTrack;
  'media:track:ended': MediaTrack;
  /** This device's own tracks have changed. `stream` is the one that localStream(id) returns. */
  'media:local': { scope: Scope; id: string; stream: MediaStream };
  /**
   * The cameras, microphones and speakers have changed: one was plugged in or unplugged, or the user has allowed the page to use them.
   * `lost` names the kinds whose chosen device is gone: the default one is used instead.
   */
  'media:devices': DeviceList & { lost: DeviceKind[] };
  /** The browser blocks the sound of media.play() until the user clicks, or no longer does. See media.startAudio(). */
  'media:playback': { isBlocked: boolean };
  /** An effect has failed and was switched off. The camera or microphone is sent without it. */
  'media:effect:failed': { kind: 'camera' | 'microphone'; error: ParleyError };
  /**
   * Media has failed and could not be recovered automatically. If only a camera or microphone has, which is no longer sent until the user
   * switches it on, `extra.source` of the error names it.
   */
  'media:failed': { scope: Scope; id: string; error: Error };
  /** Another device of this wallet has taken over the call or room. This device's media has ended. */
  'media:replaced': { scope: Scope; id: string };
  /** A message of this client is being sent. The promise of send() resolves when the server has stored it. */
  'message:sending': Message;
  /** A message of this client could not be sent: retry() or discard() it. */
  'message:failed': { message: Message; error: Error };
  'message:received': Message;
  /** Another device of this wallet has sent a message, or this device has sent one that was still unsent before a reload. */
  'message:sent': Message;
  /** A device of the recipient has received this message and all before it. In a group, see `allDeliveredUntil`. */
  'message:delivered': OfMessages<'message:delivered'>;
  /** The recipient, or another device of this wallet, has read this message and all before it. In a group, see `allReadUntil`. */
  'message:read': OfMessages<'message:read'>;
  'message:reaction': OfMessages<'message:reaction'>;
  'message:deleted': OfMessages<'message:deleted'>;
  /** The sender, or another device of this wallet, has changed the content of this message. */
  'message:edited': Message;
  /** A wallet is typing: to this wallet alone, or in `group`. */
  'typing:start': OfMessages<'typing:start'>;
  'typing:stop': OfMessages<'typing:stop'>;
  /** A group of this wallet has changed, or this wallet was invited, added or removed: the group as it is now. */
  'group:updated': GroupSummary;
  /** This device was offline for longer than the server keeps events, so some were lost. Reload the data that the app shows. */
  'session:missed': Record<string, never>;
  /** The user has clicked a notification while this page was open. */
  'notification:clicked': PushNotification;
  /** The state of the connection has changed. `error` is the reason if it was closed unexpectedly. */
  'connection:changed': { state: ConnectionState; error?: ParleyError };
};
