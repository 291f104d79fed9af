import type { FromWire } from '../../protocol/common.ts';
import type { createdToken, newRoomToken, participantToken } from '../../protocol/guests.ts';
import type { AnswerOf, BodyOf, QueryOf } from '../../protocol/http.ts';
import type { qualityQuery, WireQuality } from '../../protocol/quality.ts';
import type * as wire from '../../protocol/rooms.ts';
import type { backendParticipant } from '../../protocol/webhookData.ts';

/* The types of rooms for backends, derived from the routes' schemas. */

/** The room to create. */
export type NewBackendRoom = BodyOf<typeof wire.createRoom>;
/** What changes in a room. What is left out stays as it is. */
export type BackendRoomChanges = BodyOf<typeof wire.changeRoom>;
/** A room of the account. */
export type BackendRoom = FromWire<AnswerOf<typeof wire.room>>;
/** A room of the account with its participants, in short. */
export type BackendRoomWithParticipants = FromWire<AnswerOf<typeof wire.roomWithParticipants>>;
/** Selects rooms of the account. */
export type BackendRoomsQuery = QueryOf<typeof wire.roomsQuery>;
/** A participant as backends see it. */
export type BackendParticipant = FromWire<AnswerOf<typeof backendParticipant>>;
/** Selects participants. */
export type BackendParticipantsQuery = QueryOf<typeof wire.participantsQuery>;
/** What changes in a participant, until it leaves. What is left out stays as it is. */
export type ParticipantChanges = BodyOf<typeof wire.changeParticipant>;
/** The breakouts to create in a room of the account. */
export type NewBackendBreakouts = BodyOf<typeof wire.createBreakouts>;
/** The message to write in the chat of a room. */
export type NewRoomMessage = BodyOf<typeof wire.newRoomMessage>;
/** A message in the chat of a room, as backends see it. */
export type RoomMessage = FromWire<AnswerOf<typeof wire.roomMessage>>;
/** Whether a room is recorded, and its latest recording. */
export type RoomRecordingState = FromWire<AnswerOf<typeof wire.roomRecording>>;
/** The participant token to create for a room. */
export type NewRoomToken = BodyOf<typeof newRoomToken>;
/** The quality of the media in a room or call, and what was wrong with it. */
export type KeptQuality = FromWire<WireQuality>;
/** Selects a part of a room or call. */
export type QualityQuery = QueryOf<typeof qualityQuery>;
/** A participant token, without its secret. */
export type ParticipantToken = FromWire<AnswerOf<typeof participantToken>>;
/** A new participant token, with its secret in `token`. */
export type CreatedToken = FromWire<AnswerOf<typeof createdToken>>;
