export { Parley } from './Parley.ts';
export type { AppOptions, BackendOptions, GuestOptions, ParleyOptions } from './options.ts';
export { ParleyError } from '../protocol/errors.ts';
export type { MediaOptions } from './media/device.ts';
export type { VideoSize, VideoView } from './media/ViewReporter.ts';
export type { Eip1193Provider, Signer } from './connection/signIn.ts';
export { onChain, shortAddress } from '../protocol/address.ts';
export { maxGateDepth, maxGateLeaves } from '../protocol/limits.ts';
export { isGroup, maxGroupMembers } from '../protocol/group.ts';
export { isGuest } from '../protocol/party.ts';
export { normalAddress } from '../protocol/normalAddress.ts';
export { segmentsOf, type Segments } from '../protocol/segments.ts';
export { getPublicStream, getStreamChat } from './http/getPublicStream.ts';
export { newIdempotencyKey } from './http/newIdempotencyKey.ts';
export { isDeletedWallet } from '../protocol/deleted.ts';
export { deleteStatement, linkStatement } from '../protocol/statements.ts';
export { verifyWebhook } from './http/verifyWebhook.ts';
export type { Account } from './http/account.ts';
export type { AccountCalls } from './http/accountCalls.ts';
export type { AccountRecordings } from './http/accountRecordings.ts';
export type { ApiKeys } from './http/apiKeys.ts';
export type { Breakouts, MoveParticipants, NewBreakout, NewBreakouts } from './breakouts.ts';
export type { Calls, CallHistoryQuery } from './calls.ts';
export type { Conference, PastRoomsQuery, RoomsQuery } from './conference.ts';
export type { Esim } from './http/esim.ts';
export type { GatedRooms, NewGatedRoom } from './gatedRooms.ts';
export type { Groups, NewGroup } from './groups.ts';
export type { Leaksearch } from './http/leaksearch.ts';
export type { Lookup } from './http/lookup.ts';
export type { Media } from './media/media.ts';
export type * from './media/test/mediaTestTypes.ts';
export type { MediaPath, MediaStats } from './media/mediaPath.ts';
export type { Messages, MessageQuery, MessageSearchQuery, SendFile, SendMessage } from './messages.ts';
export type { Messaging } from './http/messaging.ts';
export type { Notifications, RegisterApns, RegisterFcm, RegisterWeb } from './notifications.ts';
export type { Numbers } from './http/numbers.ts';
export type { Operator } from './http/operator.ts';
export type { People, ProfileChanges } from './people.ts';
export type { Recordings, RecordingsQuery } from './recordings.ts';
export type { Rooms } from './http/rooms.ts';
export type { Sms } from './http/sms.ts';
export type { NewStream, Streaming, StreamsQuery } from './streaming.ts';
export type { Streams } from './http/streams.ts';
export type { Verifications } from './http/verifications.ts';
export type { RecordVoicemail, VoicemailQuery, Voicemails } from './voicemail.ts';
export type { Webhooks } from './http/webhooks.ts';
export type { Xmpp } from './http/xmpp.ts';
export type { CameraOptions, StartCall } from './rooms/EnteringCalls.ts';
export type { JoinOptions, JoinRoom } from './rooms/EnteringRooms.ts';
export type { StartStream, WatchStream } from './rooms/EnteringStreams.ts';
export type { NewRoom } from './rooms/newRoom.ts';
export type * from './types.ts';
export type {
  CallState,
  LeaveReason,
  LocalMedia,
  MediaState,
  Quality,
  RoomState,
  Trouble,
} from './rooms/stateTypes.ts';
export type * from './http/accountTypes.ts';
export type * from './http/phoneTypes.ts';
export type * from './http/roomTypes.ts';
export type * from './http/streamTypes.ts';
