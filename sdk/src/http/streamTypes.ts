import type * as calls from '../../protocol/accountCalls.ts';
import type * as recordings from '../../protocol/accountRecordings.ts';
import type { FromWire } from '../../protocol/common.ts';
import type { newStreamToken } from '../../protocol/guests.ts';
import type { AnswerOf, BodyOf, QueryOf } from '../../protocol/http.ts';
import type * as streams from '../../protocol/streams.ts';

/* The types of streams, calls and recordings for backends, derived from the routes' schemas. */

/** The stream to create. */
export type NewBackendStream = BodyOf<typeof streams.createStream>;
/** What changes in a stream. What is left out stays as it is. */
export type BackendStreamChanges = BodyOf<typeof streams.changeStream>;
/** A stream of the account. */
export type BackendStream = FromWire<AnswerOf<typeof streams.stream>>;
/** A stream of the account with its key. */
export type BackendStreamWithKey = FromWire<AnswerOf<typeof streams.streamWithKey>>;
/** Selects streams of the account. */
export type BackendStreamsQuery = QueryOf<typeof streams.streamsQuery>;
/** A viewer as backends see it. */
export type BackendViewer = FromWire<AnswerOf<typeof streams.backendViewer>>;
/** Names a viewer: a wallet by its address, or a guest by the identity in its participant token. */
export type BannedViewer = BodyOf<typeof streams.streamBan>;
/** Whether a viewer is banned. */
export type ViewerBan = FromWire<AnswerOf<typeof streams.changedBan>>;
/** Whom a viewer token is for. */
export type NewViewerToken = BodyOf<typeof streams.createViewerToken>;
/** A viewer token, for players without a session. */
export type ViewerToken = FromWire<AnswerOf<typeof streams.viewerToken>>;
/** The participant token to create for a stream. */
export type NewStreamToken = BodyOf<typeof newStreamToken>;

/** A call of the account's wallet, as backends see it. */
export type AccountCall = FromWire<AnswerOf<typeof calls.accountCall>>;
/** Selects calls. */
export type AccountCallsQuery = QueryOf<typeof calls.callsQuery>;

/** A recording of the account, as backends see it. */
export type AccountRecording = FromWire<AnswerOf<typeof recordings.accountRecording>>;
/** Selects recordings. */
export type AccountRecordingsQuery = QueryOf<typeof recordings.recordingsQuery>;
