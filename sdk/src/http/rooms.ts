import type { AnswerOf } from '../../protocol/http.ts';
import type { createdToken, participantToken } from '../../protocol/guests.ts';
import type { WireQuality } from '../../protocol/quality.ts';
import type * as wire from '../../protocol/rooms.ts';
import type { backendParticipant } from '../../protocol/webhookData.ts';
import type { HttpClient } from './HttpClient.ts';
import type { SpendOptions } from './phoneTypes.ts';
import type {
  BackendParticipant,
  BackendParticipantsQuery,
  BackendRoom,
  BackendRoomChanges,
  BackendRoomsQuery,
  BackendRoomWithParticipants,
  CreatedToken,
  NewBackendBreakouts,
  NewBackendRoom,
  NewRoomMessage,
  NewRoomToken,
  ParticipantChanges,
  ParticipantToken,
  KeptQuality,
  QualityQuery,
  RoomMessage,
  RoomRecordingState,
} from './roomTypes.ts';
import { toWireData } from '../connection/wireData.ts';
import type { JsonValue, Page, PageQuery, SendDataOptions } from '../types.ts';

type WireRoom = AnswerOf<typeof wire.room>;
type WireParticipant = AnswerOf<typeof backendParticipant>;
type WireState = AnswerOf<typeof wire.roomRecording>;

/**
 * The rooms of the account, for backends with an API key: `client.rooms`. The account is the host of the rooms it creates; rooms of other
 * accounts do not exist for it. Apps and guests join rooms with `client.conference`.
 */
export class Rooms {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Creates a room, whose host is the account. Needs the scope rooms:write.
   * @param room.name the name, 1 to 100 characters
   * @param room.maxParticipants the maximum number of participants at a time, 2 to 1,000. Default: 100
   * @param room.video whether the room allows cameras. Default: true
   * @param room.audio whether the room allows audio. Default: true
   * @param room.settings the settings. Default: `allowScreenShare` and `allowChat` on, all other switches off, `codec` 'vp8', `emptyTimeout`
   * 300, `maxDuration` null
   * @param room.gate the condition that wallets must meet to enter. Default: null, none. Guests never meet one
   * @param room.network the network on whose chains the gate is checked. Default: that of the session; 'mainnet' for an API key
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the room, with status `waiting`. It ends by itself if nobody enters for a day
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   * @throws ParleyError CONFLICT: the account has 10,000 rooms that have not ended
   * @throws ParleyError SERVICE_UNAVAILABLE: a chain of the gate cannot be read, or `settings.record` is true and the server cannot record
   * @example const room = await client.rooms.create({ name: 'Consultation', maxParticipants: 2 });
   */
  create(room: NewBackendRoom, { idempotencyKey }: SpendOptions = {}): Promise<BackendRoom> {
    return this.#http.once<WireRoom>('/rooms', room, idempotencyKey);
  }

  /**
   * Lists the rooms of the account, latest first, including those that its wallet has created in an app. Needs the scope rooms:read.
   * @param query.status only rooms with this status: `waiting`, `active` or `ended`. Default: rooms that have not ended
   * @param query.limit the number of rooms, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of rooms
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   */
  list(query?: BackendRoomsQuery): Promise<Page<BackendRoom>> {
    return this.#http.get<AnswerOf<typeof wire.rooms>>('/rooms', query);
  }

  /**
   * Reads a room with its participants. Needs the scope rooms:read.
   * @param roomId the id of the room
   * @returns the room
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   */
  get(roomId: string): Promise<BackendRoomWithParticipants> {
    return this.#http.get<AnswerOf<typeof wire.roomWithParticipants>>(pathOf(roomId));
  }

  /**
   * Reads the quality of the media in a room: what the devices measured every ten seconds, what happened, and what was wrong. Needs the scope
   * rooms:read.
   * @param roomId the id of the room
   * @param query.from leaves out what was before this time, for example the `nextFrom` of an earlier answer. Default: the whole room
   * @returns the quality of the room
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @example const { findings } = await client.rooms.quality(roomId);
   */
  quality(roomId: string, query?: QualityQuery): Promise<KeptQuality> {
    return this.#http.get<WireQuality>(pathOf(roomId, 'quality'), query);
  }

  /**
   * Changes a room. Everybody in it gets `conference:updated`. What it no longer allows, such as cameras, is closed. Needs the scope
   * rooms:write.
   * @param roomId the id of the room
   * @param changes the fields to change: `name`, `maxParticipants`, `video`, `audio`, and in `settings` single settings. The others stay.
   * `settings.record` has an effect only before the first participant enters
   * @returns the room
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`)
   * @throws ParleyError SERVICE_UNAVAILABLE: `settings.record` is true and the server cannot record
   * @example await client.rooms.update(roomId, { settings: { locked: true } });
   */
  update(roomId: string, changes: BackendRoomChanges): Promise<BackendRoom> {
    return this.#http.request<WireRoom>('PATCH', pathOf(roomId), changes);
  }

  /**
   * Ends a room for everybody in it. Needs the scope rooms:write.
   * @param roomId the id of the room
   * @returns the room
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError CONFLICT: the room has ended before (`room_ended`)
   */
  end(roomId: string): Promise<BackendRoom> {
    return this.#http.once<WireRoom>(pathOf(roomId, 'end'));
  }

  /**
   * Lists the participants of a room, latest first. Needs the scope rooms:read.
   * @param roomId the id of the room
   * @param query.identity only the participant with this identity: that in the token of a guest, or a wallet. Default: all
   * @param query.limit the number of participants, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of participants
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   */
  participants(roomId: string, query?: BackendParticipantsQuery): Promise<Page<BackendParticipant>> {
    return this.#http.get<AnswerOf<typeof wire.participants>>(pathOf(roomId, 'participants'), query);
  }

  /**
   * Reads a participant. Needs the scope rooms:read.
   * @param roomId the id of the room
   * @param participantId the id of the participant (`par_…`), which is new each time somebody enters
   * @returns the participant
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room, or the participant is not in it
   */
  participant(roomId: string, participantId: string): Promise<BackendParticipant> {
    return this.#http.get<WireParticipant>(pathOf(roomId, 'participants', participantId));
  }

  /**
   * Changes a participant: a guest for as long as it uses the same token, a wallet until it leaves. What it may no longer send is closed at once. Needs the scope rooms:write.
   * @param roomId the id of the room
   * @param participantId the id of the participant (`par_…`), which is new each time somebody enters
   * @param changes the fields to change: `role`, `displayName` (1 to 64 characters), `metadata` (up to 4,096 bytes, or null) and, of a guest,
   * single `grants`. The others stay
   * @returns the participant
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room, or the participant is not in it
   * @throws ParleyError VALIDATION_ERROR: a field is unknown or out of bounds, or `grants` are given for a wallet (`guests_only`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), or the host would no longer be one
   * @example await client.rooms.updateParticipant(roomId, participant.id, { grants: { canPublish: ['microphone'] } });
   */
  updateParticipant(
    roomId: string,
    participantId: string,
    changes: ParticipantChanges,
  ): Promise<BackendParticipant> {
    const path = pathOf(roomId, 'participants', participantId);
    return this.#http.request<WireParticipant>('PATCH', path, changes);
  }

  /**
   * Removes a participant. A wallet can enter again after a new invitation, a guest with a new token. Needs the scope rooms:write.
   * @param roomId the id of the room
   * @param participantId the id of the participant (`par_…`), which is new each time somebody enters
   * @returns the participant as it was in the room
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room, or the participant is not in it
   * @throws ParleyError CONFLICT: it is the host of the room
   */
  removeParticipant(roomId: string, participantId: string): Promise<BackendParticipant> {
    return this.#http.request<WireParticipant>('DELETE', pathOf(roomId, 'participants', participantId));
  }

  /**
   * Mutes the microphone and screen audio of a participant, which may unmute itself. Needs the scope rooms:write.
   * @param roomId the id of the room
   * @param participantId the id of the participant (`par_…`), which is new each time somebody enters
   * @returns the participant. Its `audio` may still be true for a moment
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room, or the participant is not in it
   */
  muteParticipant(roomId: string, participantId: string): Promise<BackendParticipant> {
    return this.#http.once<WireParticipant>(pathOf(roomId, 'participants', participantId, 'mute'));
  }

  /**
   * Moves a participant to another room of the account, such as a breakout. Its devices join that room by themselves, with a new participant
   * id. The room may be locked. Needs the scope rooms:write.
   * @param roomId the id of the room that the participant is in
   * @param participantId the id of the participant (`par_…`), which is new each time somebody enters
   * @param to the id of the other room
   * @returns the participant as it was in the room that it left
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account lacks one of the rooms, or the participant is not in the first
   * @throws ParleyError VALIDATION_ERROR: `to` is the same room, or no id of a room
   * @throws ParleyError ACCESS_DENIED: the other room has a gate, and this is a guest (`guest`)
   * @throws ParleyError CONFLICT: one of the rooms has ended (`room_ended`), or a guest with this identity is in the other one
   * @throws ParleyError ROOM_FULL: the other room has no place (`room_full`)
   * @example await client.rooms.moveParticipant(roomId, participant.id, room.id);
   */
  moveParticipant(roomId: string, participantId: string, to: string): Promise<BackendParticipant> {
    const path = pathOf(roomId, 'participants', participantId, 'move');
    return this.#http.once<WireParticipant>(path, { to });
  }

  /**
   * Creates breakouts of a room and moves participants into them. They have the settings of the room, but are locked. They end with
   * endBreakouts(), at their time, or with the room, and everybody in them comes back. Needs the scope rooms:write.
   * @param roomId the id of the room, which is no breakout itself
   * @param breakouts.rooms 1 to 50 breakouts, each with `name` (1 to 100 characters) and `participantIds`, up to 1,000. Default: nobody
   * @param breakouts.durationSeconds after how many seconds they end, 1 to 86,400. Default: no time
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the new breakouts, as one page
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds, or a participant is named twice
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), is a breakout, or would have more than 50; or the account would have
   * more than 10,000 rooms
   * @example await client.rooms.createBreakouts(roomId, { rooms: [{ name: 'One', participantIds: [participant.id] }] });
   */
  createBreakouts(
    roomId: string,
    breakouts: NewBackendBreakouts,
    { idempotencyKey }: SpendOptions = {},
  ): Promise<Page<BackendRoom>> {
    const path = pathOf(roomId, 'breakouts');
    return this.#http.once<AnswerOf<typeof wire.breakouts>>(path, breakouts, idempotencyKey);
  }

  /**
   * Lists the running breakouts of a room, oldest first. Needs the scope rooms:read.
   * @param roomId the id of the room, or of one of its breakouts
   * @returns all breakouts, as one page
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   */
  breakouts(roomId: string): Promise<Page<BackendRoom>> {
    return this.#http.get<AnswerOf<typeof wire.breakouts>>(pathOf(roomId, 'breakouts'));
  }

  /**
   * Moves everybody in the breakouts of a room back into it, and ends them. Needs the scope rooms:write.
   * @param roomId the id of the room; or that of a breakout, to end only this one
   * @returns the room
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   */
  endBreakouts(roomId: string): Promise<BackendRoom> {
    return this.#http.once<WireRoom>(pathOf(roomId, 'breakouts', 'end'));
  }

  /**
   * Lists the last 500 messages in the chat of a room, latest first, also after its end. Needs the scope rooms:read.
   * @param roomId the id of the room
   * @param query the page to read: `limit` (1 to 100) and `cursor`. Default: the latest 50
   * @returns one page of messages
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   */
  messages(roomId: string, query?: PageQuery): Promise<Page<RoomMessage>> {
    return this.#http.get<AnswerOf<typeof wire.roomMessages>>(pathOf(roomId, 'messages'), query);
  }

  /**
   * Writes a message in the chat of a room, as its host. Needs the scope rooms:write.
   * @param roomId the id of the room
   * @param message.content the text, 1 to 2,000 characters
   * @param message.displayName the name shown as that of the sender, 1 to 64 characters. Default: none
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the message
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`)
   */
  sendMessage(
    roomId: string,
    message: NewRoomMessage,
    { idempotencyKey }: SpendOptions = {},
  ): Promise<RoomMessage> {
    const path = pathOf(roomId, 'messages');
    return this.#http.once<AnswerOf<typeof wire.roomMessage>>(path, message, idempotencyKey);
  }

  /**
   * Sends data to the participants of a room, who get `conference:data` with `from` null. The server keeps nothing: a participant who is away
   * gets nothing later. Needs the scope rooms:write.
   * @param roomId the id of the room
   * @param topic what the data is about, in your own words: 1 to 64 characters
   * @param data bytes, or a JSON value nested up to 100 levels deep. At most 16,384 bytes; JSON is measured in UTF-8 without spaces
   * @param options.to the ids of the participants to send it to, 1 to 100; those who have left are passed over. Default: everybody
   * @param options.reliable false drops it for participants whose connection is congested. Default: true
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room, or none of the participants in `to` is in it
   * @throws ParleyError VALIDATION_ERROR: the data is too large or not JSON, or another parameter is out of bounds
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer, so the data may have been sent or not
   * @throws ParleyError SERVICE_UNAVAILABLE: too many messages of the account to this room wait for the server's database
   * @example await client.rooms.sendData(roomId, 'slide', { number: 7 });
   */
  async sendData(
    roomId: string,
    topic: string,
    data: Uint8Array | JsonValue,
    options: SendDataOptions = {},
  ): Promise<void> {
    await this.#http.request('POST', pathOf(roomId, 'data'), { topic, ...toWireData(data), ...options });
  }

  /**
   * Reads whether a room is being recorded, and its latest recording. Needs the scope rooms:read.
   * @param roomId the id of the room
   * @returns the state
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   */
  recording(roomId: string): Promise<RoomRecordingState> {
    return this.#http.get<WireState>(pathOf(roomId, 'recording'));
  }

  /**
   * Starts recording a room. Everybody in it is notified. The recording belongs to the account. Needs the scope rooms:write.
   * @param roomId the id of the room
   * @returns the state, with the recording
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError CONFLICT: the room is empty, it is being recorded already, or the account keeps too many recordings
   * @throws ParleyError SERVICE_UNAVAILABLE: the server cannot record, or has no space
   */
  startRecording(roomId: string): Promise<RoomRecordingState> {
    return this.#http.once<WireState>(pathOf(roomId, 'recording'));
  }

  /**
   * Stops recording a room. Needs the scope rooms:write.
   * @param roomId the id of the room
   * @returns the state, with the recording, which is processed next
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError CONFLICT: the room is not being recorded
   */
  stopRecording(roomId: string): Promise<RoomRecordingState> {
    return this.#http.request<WireState>('DELETE', pathOf(roomId, 'recording'));
  }

  /**
   * Creates a participant token: its holder enters the room as a guest, with `new Parley({ participantToken })`. Used a second time, the
   * later device takes the place. Needs the scope tokens:create.
   * @param roomId the id of the room
   * @param token.identity who the guest is in your system: 1 to 64 letters, digits and `_ . @ + : -`
   * @param token.displayName the name shown to the others, 1 to 64 characters. Default: the identity
   * @param token.role `host`, `participant` or `viewer`. Default: `participant`
   * @param token.canPublish the sources that the guest may publish: `microphone`, `camera`, `screen`. Default: all; none for a viewer
   * @param token.canSubscribe whether the guest receives the media of the others. Default: true
   * @param token.canChat whether the guest may write in the chat. Default: true
   * @param token.canSendData whether the guest may send data. Default: true
   * @param token.metadata your own text about the guest, up to 4,096 bytes, which everybody in the room can read. Default: none
   * @param token.expiresInSeconds how long the token can be used to enter, 1 to 86,400 seconds. Default: 3,600
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the token, with its secret in `token`, which is not shown again
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`)
   * @example const { token } = await client.rooms.createToken(roomId, { identity: 'alice', displayName: 'Alice' });
   */
  createToken(
    roomId: string,
    token: NewRoomToken,
    { idempotencyKey }: SpendOptions = {},
  ): Promise<CreatedToken> {
    const path = pathOf(roomId, 'tokens');
    return this.#http.once<AnswerOf<typeof createdToken>>(path, token, idempotencyKey);
  }

  /**
   * Lists the participant tokens of a room, latest first, without their secrets. They are kept for a week after they expire. Needs the scope
   * tokens:create.
   * @param roomId the id of the room
   * @param query the page to read: `limit` (1 to 100) and `cursor`. Default: the latest 50
   * @returns one page of tokens
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   */
  tokens(roomId: string, query?: PageQuery): Promise<Page<ParticipantToken>> {
    return this.#http.get<AnswerOf<typeof wire.tokens>>(pathOf(roomId, 'tokens'), query);
  }

  /**
   * Revokes a participant token, immediately and on every node. Its guest leaves the room. Needs the scope tokens:create.
   * @param roomId the id of the room
   * @param tokenId the id of the token (`ptk_…`)
   * @returns the revoked token
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room, or the room has no such token
   */
  revokeToken(roomId: string, tokenId: string): Promise<ParticipantToken> {
    return this.#http.request<AnswerOf<typeof participantToken>>('DELETE', pathOf(roomId, 'tokens', tokenId));
  }
}

const pathOf = (...parts: string[]) => `/rooms/${parts.map(encodeURIComponent).join('/')}`;
