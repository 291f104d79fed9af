import type { createdToken, participantToken } from '../../protocol/guests.ts';
import type { AnswerOf } from '../../protocol/http.ts';
import type * as wire from '../../protocol/streams.ts';
import type { HttpClient } from './HttpClient.ts';
import type { SpendOptions } from './phoneTypes.ts';
import type { CreatedToken, ParticipantToken } from './roomTypes.ts';
import type {
  BackendStream,
  BackendStreamChanges,
  BackendStreamsQuery,
  BackendStreamWithKey,
  BackendViewer,
  BannedViewer,
  NewBackendStream,
  NewStreamToken,
  NewViewerToken,
  ViewerBan,
  ViewerToken,
} from './streamTypes.ts';
import type { Page, PageQuery } from '../types.ts';

type WireStream = AnswerOf<typeof wire.stream>;
type WireWithKey = AnswerOf<typeof wire.streamWithKey>;

/**
 * The streams of the account, for backends with an API key: `client.streams`. The account is the host of the streams it creates; streams of
 * other accounts do not exist for it. Apps and guests publish and watch streams with `client.streaming`.
 */
export class Streams {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Creates a stream, whose host is the account. Publish it by WHIP or RTMP with its `streamKey`, or as a guest whose participant token has
   * the role `host`. Needs the scope streams:write.
   * @param stream.title the title, 1 to 100 characters
   * @param stream.description the description, up to 2,000 characters. Default: ''
   * @param stream.isPublic true: listed and open to all. false: open only with a viewer token or participant token. Default: true
   * @param stream.gate the condition that wallets must meet to watch. Default: null, none. Guests never meet one
   * @param stream.record whether to record the stream from the first time it is live. Default: false
   * @param stream.network the network on whose chains the gate is checked. Default: that of the session; 'mainnet' for an API key
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the stream with its `streamKey`, which only this method and resetKey() return
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds, or a condition of the gate cannot be checked
   * @throws ParleyError CONFLICT: the account has 10,000 streams that have not ended
   * @throws ParleyError SERVICE_UNAVAILABLE: a chain of the gate cannot be read, or `record` is true and the server cannot record
   * @example const { id, rtmpUrl, streamKey } = await client.streams.create({ title: 'Launch', isPublic: false });
   */
  create(stream: NewBackendStream, { idempotencyKey }: SpendOptions = {}): Promise<BackendStreamWithKey> {
    return this.#http.once<WireWithKey>('/streams', stream, idempotencyKey);
  }

  /**
   * Lists the streams of the account, latest first, including those that its wallet has created in an app. Needs the scope streams:read.
   * @param query.status only streams with this status: `idle`, `live` or `ended`. Default: all
   * @param query.limit the number of streams, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of streams
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: a field is unknown or out of bounds
   */
  list(query?: BackendStreamsQuery): Promise<Page<BackendStream>> {
    return this.#http.get<AnswerOf<typeof wire.streams>>('/streams', query);
  }

  /**
   * Reads a stream. Needs the scope streams:read.
   * @param streamId the id of the stream
   * @returns the stream, without its key
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   */
  get(streamId: string): Promise<BackendStream> {
    return this.#http.get<WireStream>(pathOf(streamId));
  }

  /**
   * Changes a stream. Viewers get `stream:updated`, and those who watch already go on if the stream becomes private. Needs the scope
   * streams:write.
   * @param streamId the id of the stream
   * @param changes.title the title, 1 to 100 characters. Default: unchanged
   * @param changes.description the description, up to 2,000 characters. Default: unchanged
   * @param changes.isPublic whether the stream is listed and open to all. Default: unchanged
   * @param changes.record whether to record the stream from the next time it is live, unless it was recorded before. Default: unchanged
   * @returns the stream
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: a field is unknown or out of bounds
   * @throws ParleyError NOT_FOUND: the account has no such stream
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   * @throws ParleyError SERVICE_UNAVAILABLE: `record` is true and the server cannot record
   */
  update(streamId: string, changes: BackendStreamChanges): Promise<BackendStream> {
    return this.#http.request<WireStream>('PATCH', pathOf(streamId), changes);
  }

  /**
   * Ends a stream for everybody, permanently. A stream that has ended stays as it is. Needs the scope streams:write.
   * @param streamId the id of the stream
   * @returns the stream
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   */
  end(streamId: string): Promise<BackendStream> {
    return this.#http.once<WireStream>(`${pathOf(streamId)}/end`);
  }

  /**
   * Replaces the stream key. A publisher that uses the old one is disconnected, and viewer tokens for anybody become void. Needs the scope
   * streams:write.
   * @param streamId the id of the stream
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the stream with its new `streamKey`
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   */
  resetKey(streamId: string, { idempotencyKey }: SpendOptions = {}): Promise<BackendStreamWithKey> {
    return this.#http.once<WireWithKey>(`${pathOf(streamId)}/reset-key`, undefined, idempotencyKey);
  }

  /**
   * Lists the viewers of a stream, latest first. Needs the scope streams:read.
   * @param streamId the id of the stream
   * @param query.limit the number of viewers, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of viewers
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   */
  viewers(streamId: string, query?: PageQuery): Promise<Page<BackendViewer>> {
    return this.#http.get<AnswerOf<typeof wire.viewers>>(`${pathOf(streamId)}/viewers`, query);
  }

  /**
   * Bans a wallet or guest from a stream and its chat, and removes it at once. Needs the scope streams:write.
   * @param streamId the id of the stream
   * @param viewer.walletAddress the wallet. Either this or `identity`
   * @param viewer.identity the identity in the participant tokens of a guest
   * @returns whom the ban is for
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   * @throws ParleyError CONFLICT: the host cannot be banned
   * @throws ParleyError VALIDATION_ERROR: neither or both are given
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   */
  ban(streamId: string, viewer: BannedViewer): Promise<ViewerBan> {
    return this.#http.once<AnswerOf<typeof wire.changedBan>>(`${pathOf(streamId)}/bans`, viewer);
  }

  /**
   * Lifts a ban. Needs the scope streams:write.
   * @param streamId the id of the stream
   * @param viewer.walletAddress the wallet. Either this or `identity`
   * @param viewer.identity the identity in the participant tokens of a guest
   * @returns whom the ban was for
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   * @throws ParleyError VALIDATION_ERROR: neither or both are given
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   */
  unban(streamId: string, viewer: BannedViewer): Promise<ViewerBan> {
    const path = `${pathOf(streamId)}/bans`;
    return this.#http.request<AnswerOf<typeof wire.changedBan>>('DELETE', path, undefined, { query: viewer });
  }

  /**
   * Creates a viewer token for players without a session: WHEP and HLS accept it as `?token=` or as a bearer token. It also lets wallets
   * watch a private stream with `client.streaming.watch()`. Needs the scope tokens:create.
   * @param streamId the id of the stream
   * @param token.walletAddress the wallet that watches with the token, which must meet the stream's gate. Default: anybody who has the token
   * @returns the token, and until when playback must begin
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   * @throws ParleyError VALIDATION_ERROR: the stream has a gate and no wallet is given
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   */
  createViewerToken(streamId: string, token: NewViewerToken = {}): Promise<ViewerToken> {
    return this.#http.once<AnswerOf<typeof wire.viewerToken>>(`${pathOf(streamId)}/viewer-tokens`, token);
  }

  /**
   * Creates a participant token, with which a guest watches or publishes the stream: `new Parley({ participantToken: token })`. Needs the
   * scope tokens:create.
   * @param streamId the id of the stream
   * @param token.identity the identity of the guest in your system: 1 to 64 letters, digits and `_ . @ + : -`
   * @param token.displayName the name shown to others, 1 to 64 characters. Default: the identity
   * @param token.role `viewer`, or `host`, which may publish and end the stream and ban viewers. Default: 'viewer'
   * @param token.canChat whether the guest may write in the chat. Default: true
   * @param token.metadata your own text about the guest, up to 4,096 bytes. Default: none
   * @param token.expiresInSeconds how long the token can be used to enter, 1 to 86,400. Default: 3,600
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the token; its secret in `token` is not shown again
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   * @example const { token } = await client.streams.createToken('str_4fT9qLx2VbN7cRk0HsWdJyAe', { identity: 'bob' });
   */
  createToken(
    streamId: string,
    token: NewStreamToken,
    { idempotencyKey }: SpendOptions = {},
  ): Promise<CreatedToken> {
    const path = `${pathOf(streamId)}/tokens`;
    return this.#http.once<AnswerOf<typeof createdToken>>(path, token, idempotencyKey);
  }

  /**
   * Lists the participant tokens of a stream, latest first, without their secrets. They are kept for a week after they expire. Needs the
   * scope tokens:create.
   * @param streamId the id of the stream
   * @param query.limit the number of tokens, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of tokens
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   */
  tokens(streamId: string, query?: PageQuery): Promise<Page<ParticipantToken>> {
    return this.#http.get<AnswerOf<typeof wire.streamTokens>>(`${pathOf(streamId)}/tokens`, query);
  }

  /**
   * Revokes a participant token. Its guest leaves the stream at once, on every node. Needs the scope tokens:create.
   * @param streamId the id of the stream
   * @param tokenId the id of the token
   * @returns the token
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream, or the stream no such token
   */
  revokeToken(streamId: string, tokenId: string): Promise<ParticipantToken> {
    const path = `${pathOf(streamId)}/tokens/${encodeURIComponent(tokenId)}`;
    return this.#http.request<AnswerOf<typeof participantToken>>('DELETE', path);
  }
}

const pathOf = (streamId: string) => `/streams/${encodeURIComponent(streamId)}`;
