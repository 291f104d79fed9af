import type { Address } from '../protocol/common.ts';
import type { RequestInput } from '../protocol/wire.ts';
import type { Connection } from './connection/Connection.ts';
import type { EventStream } from './connection/EventStream.ts';
import { fromWire } from './connection/fromWire.ts';
import { sendChat } from './connection/sendChat.ts';
import { toWireData } from './connection/wireData.ts';
import type { Listeners } from './connection/Listeners.ts';
import type { Media } from './media/media.ts';
import type { Notifications } from './notifications.ts';
import { EnteringRooms, type JoinOptions, type JoinRoom } from './rooms/EnteringRooms.ts';
import type { JoinedRooms } from './rooms/JoinedRooms.ts';
import { toNewRoom, type NewRoom } from './rooms/newRoom.ts';
import { RoomStates } from './rooms/RoomStates.ts';
import type { RoomState } from './rooms/stateTypes.ts';
import type {
  ChatMessage,
  ConferenceRoom,
  JsonValue,
  Observable,
  Page,
  PastRoom,
  ParleyEvents,
  Participant,
  Recording,
  RoomEntry,
  RoomStatus,
  RoomWaiter,
  SendDataOptions,
} from './types.ts';

/** Selects the past rooms of this wallet. */
export interface PastRoomsQuery {
  /** 1 to 100. @default 20 */
  limit?: number;
  /** The `nextCursor` of the page before. @default the first page */
  cursor?: string;
}

/** Selects rooms. */
export interface RoomsQuery {
  /** Only rooms with this status. @default `waiting` and `active` */
  status?: RoomStatus;
  /** 1 to 100. @default 50 */
  limit?: number;
  /** Rooms to skip, 0 to 100,000. @default 0 */
  offset?: number;
}

interface ConferenceOptions {
  connection: Connection;
  stream: EventStream;
  media: Media;
  notifications: Pick<Notifications, 'seen'>;
  rooms: JoinedRooms;
  events: Listeners<ParleyEvents>;
}

/** Conference rooms: `client.conference`. */
export class Conference {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #joined: JoinedRooms;
  readonly #states: RoomStates;
  readonly #entering: EnteringRooms;

  constructor({ connection, stream, media, notifications, rooms, events }: ConferenceOptions) {
    this.#connection = connection;
    this.#media = media;
    this.#joined = rooms;
    this.#states = new RoomStates({ connection, media, events, joined: rooms });
    this.#entering = new EnteringRooms({
      connection,
      media,
      joined: rooms,
      states: this.#states,
      leave: (roomId) => this.leave(roomId),
    });
    stream.on('conference:invited', (invitation) => {
      // A party of a call is invited to the room that the call becomes, for devices that do not move by themselves.
      if (!rooms.isExpected(invitation.room.id)) events.emit('conference:invited', fromWire(invitation));
      notifications.seen('conferenceInvite', invitation.room.id).catch(() => undefined);
    });
  }

  /**
   * Creates a room with this wallet as its host. The host joins it with join(), like everyone else.
   * @param room the room: its name, its size of 2 to 1,000 participants, its settings, and when it is to start
   * @returns the room, with status `waiting`
   * @throws ParleyError VALIDATION_ERROR: a field is missing or out of bounds
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError CONFLICT: this wallet has 200 rooms that have not ended
   * @throws ParleyError SERVICE_UNAVAILABLE: `settings.record` is true, but the server cannot record
   * @example const room = await client.conference.create({ name: 'Stand-up', maxParticipants: 12 });
   */
  async create(room: NewRoom): Promise<ConferenceRoom> {
    return fromWire(await this.#connection.request('conference.create', toNewRoom(room)));
  }

  /**
   * Joins a room from this device. Resolves once the device is admitted and its media is running. If the room has a waiting room, the
   * client may emit `conference:waiting`: join() then waits until a host admits or denies this wallet, or leave() is called.
   * @param room the room's id, or an object with `roomId` and the options
   * @param more the options, if `room` is an id
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ROOM_FULL: the room or its waiting room is full (`room_full`)
   * @throws ParleyError ACCESS_DENIED: the room is locked (`room_locked`), a host has removed this wallet (`removed`) or not let it in
   * (`denied`), the room's gate is on another network than the session (`other_network`), the wallet does not pass the gate
   * (`requirement_missing`: then `extra` is the AccessResult), or for a guest: the participant token is for another room (`other_room`),
   * or the room has a gate (`guest`)
   * @throws ParleyError AUTHENTICATION_REQUIRED: the participant token was revoked (`token_revoked`) or has expired (`token_expired`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), leave() was called in the waiting room (`left`), another join() of the
   * room was called, or the camera or microphone is in use
   * @throws ParleyError PERMISSION_DENIED: microphone or camera refused, or a browser without WebRTC (`no_webrtc`)
   * @throws ParleyError SERVICE_UNAVAILABLE: a chain cannot be read, or too many wallets are joining at once
   * @example await client.conference.join({ roomId, displayName: 'Ada' });
   */
  async join(room: string | JoinRoom, more: JoinOptions = {}): Promise<void> {
    await this.#entering.join(room, more);
  }

  /**
   * Leaves a room or its waiting room. Camera and microphone are switched off immediately.
   * @param roomId the id of the room
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async leave(roomId: string): Promise<void> {
    this.#states.left(roomId, 'left');
    this.#joined.forget(roomId);
    await this.#connection.request('conference.leave', { roomId, held: this.#connection.ids });
  }

  /**
   * The state of a room, which is kept up to date: its participants, tracks, speakers, quality and more. It fits React's
   * useSyncExternalStore. It exists before the first join(), and stays valid when the room is left and joined again. Never throws.
   * @param roomId the id of the room
   * @returns the state: get() returns it, subscribe() calls a listener after each change
   * @example
   * const state = client.conference.state(roomId);
   * const stop = state.subscribe(() => console.log(state.get().phase, state.get().participants.length));
   */
  state(roomId: string): Observable<RoomState> {
    return this.#states.of(roomId);
  }

  /**
   * The participants of a joined room, including this wallet. Empty for a room that this device has not joined. Never throws.
   * @param roomId the id of the room
   * @returns the participants
   */
  participants(roomId: string): Participant[] {
    return this.#joined.participants(roomId);
  }

  /**
   * Mutes the microphone immediately.
   * @param roomId the id of the room
   * @throws ParleyError NOT_FOUND: this device is not in the room
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), or another device of this wallet has taken over (`replaced`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async muteAudio(roomId: string): Promise<void> {
    await this.#media.sending.switchOff(roomId, 'microphone', () =>
      this.#requestAsMember('conference.muteAudio', { roomId }),
    );
  }

  /**
   * Unmutes the microphone, and opens it if necessary. No effect if it is muted again meanwhile.
   * @param roomId the id of the room
   * @throws ParleyError ACCESS_DENIED: viewers cannot publish (`viewer`), the room has no audio (`audio_off`), or the participant token
   * does not allow it (`not_granted`)
   * @throws ParleyError NOT_FOUND: this device is not in the room, or has no microphone
   * @throws ParleyError PERMISSION_DENIED: microphone refused
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), another device of this wallet has taken over (`replaced`), or the
   * microphone is in use
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  async unmuteAudio(roomId: string): Promise<void> {
    await this.#media.sending.switchMicrophoneOn(roomId, () =>
      this.#requestAsMember('conference.unmuteAudio', { roomId }),
    );
  }

  /**
   * Switches the camera off.
   * @param roomId the id of the room
   * @throws ParleyError NOT_FOUND: this device is not in the room
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), or another device of this wallet has taken over (`replaced`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async muteVideo(roomId: string): Promise<void> {
    await this.#media.sending.switchOff(roomId, 'camera', () =>
      this.#requestAsMember('conference.muteVideo', { roomId }),
    );
  }

  /**
   * Switches the camera on. No effect if it is switched off again while it opens.
   * @param roomId the id of the room
   * @throws ParleyError ACCESS_DENIED: viewers cannot publish (`viewer`), the room has no video (`video_off`), or the participant token
   * does not allow it (`not_granted`)
   * @throws ParleyError NOT_FOUND: this device is not in the room, or has no camera
   * @throws ParleyError PERMISSION_DENIED: camera refused
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), another device of this wallet has taken over (`replaced`), or the
   * camera is in use
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  async unmuteVideo(roomId: string): Promise<void> {
    const codec = this.#joined.room(roomId)?.settings.codec;
    const tell = () => this.#requestAsMember('conference.unmuteVideo', { roomId });
    await this.#media.sending.switchCameraOn(roomId, tell, codec);
  }

  /**
   * Shares a screen, window or tab that the user chooses.
   * @param roomId the id of the room
   * @param options.audio false shares the screen without its audio. Default: true, if the browser and the room support it
   * @throws ParleyError ACCESS_DENIED: viewers cannot publish (`viewer`), only hosts may share a screen in this room
   * (`screen_share_off`), or the participant token does not allow it (`not_granted`)
   * @throws ParleyError PERMISSION_DENIED: refused or not supported
   * @throws ParleyError CONFLICT: this device is not in the room, or left it while the user was choosing
   */
  async startScreenShare(roomId: string, options: { audio?: boolean } = {}): Promise<void> {
    // Browsers let the user choose a screen only right after a click, so there is no time to ask the server first. It checks later, when
    // the screen is published.
    this.#joined.assertMayShareScreen(roomId);
    const audio = options.audio !== false && this.#joined.room(roomId)?.audio !== false;
    await this.#media.sending.startScreen(roomId, { audio });
    // A host may have made this participant a viewer while the user was choosing.
    this.#joined.assertMayShareScreen(roomId);
  }

  /**
   * Stops sharing the screen.
   * @param roomId the id of the room
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async stopScreenShare(roomId: string): Promise<void> {
    if (this.#media.isAvailable) await this.#media.sending.stopScreen(roomId);
    else await this.#requestAsMember('conference.stopScreenShare', { roomId });
  }

  /**
   * Ends the room and its breakouts for all participants. Those in a breakout that is ended come back to its parent, which goes on, as with
   * `breakouts.end()`. Hosts only.
   * @param roomId the id of the room
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`)
   */
  async end(roomId: string): Promise<void> {
    await this.#connection.request('conference.end', { roomId });
    // `conference:moved` says where this device goes.
    if (this.#joined.room(roomId)?.parentId) return;
    this.#states.left(roomId, 'ended');
    this.#joined.forget(roomId);
  }

  /**
   * Removes a participant, who can join again only after a new invitation. Hosts only.
   * @param roomId the id of the room
   * @param participantId the `id` of the participant
   * @throws ParleyError NOT_FOUND: there is no such room, or no such participant in it
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: the creator of the room cannot be removed
   */
  async kick(roomId: string, participantId: string): Promise<void> {
    await this.#connection.request('conference.kick', { roomId, participantId });
  }

  /**
   * Mutes a participant's microphone and the audio of their shared screen. They can unmute themselves. Hosts only.
   * @param roomId the id of the room
   * @param participantId the `id` of the participant
   * @throws ParleyError NOT_FOUND: there is no such room, or no such participant in it
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   */
  async muteParticipant(roomId: string, participantId: string): Promise<void> {
    await this.#connection.request('conference.muteParticipant', { roomId, participantId });
  }

  /**
   * Changes a participant's role. Hosts only.
   * @param roomId the id of the room
   * @param participantId the `id` of the participant
   * @param role `host`, `participant` or `viewer`. A viewer cannot publish
   * @returns the participant with the new role
   * @throws ParleyError NOT_FOUND: there is no such room, or no such participant in it
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), or the participant is its creator, who always stays a host
   */
  async setRole(roomId: string, participantId: string, role: Participant['role']): Promise<Participant> {
    return fromWire(await this.#connection.request('conference.setRole', { roomId, participantId, role }));
  }

  /**
   * Locks or unlocks a room. Only invited wallets can join a locked room. Hosts only.
   * @param roomId the id of the room
   * @param locked false unlocks the room. Default: true
   * @returns the room with its new settings
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  async lock(roomId: string, locked = true): Promise<ConferenceRoom> {
    return fromWire(await this.#connection.request('conference.lock', { roomId, locked }));
  }

  /**
   * Lists the rooms that this wallet created, is in, or is invited to, newest first.
   * @param query.status only rooms with this status. Default: `waiting` and `active`
   * @param query.limit 1 to 100. Default: 50
   * @param query.offset rooms to skip, 0 to 100,000. Default: 0
   * @returns the rooms
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async list(query: RoomsQuery = {}): Promise<ConferenceRoom[]> {
    return fromWire(await this.#connection.request('conference.list', query));
  }

  /**
   * Lists the rooms that this wallet was in or hosted and that have ended, the latest end first, without breakouts. getChat() reads their
   * chats.
   * @param query.limit 1 to 100. Default: 20
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns a page of rooms, each with the times at which this wallet first joined and last left, this wallet's recordings of the room, at
   * most 10, and the number of chat messages that it can read
   * @throws ParleyError VALIDATION_ERROR: `limit` is out of bounds, or `cursor` is not one of this list
   * @example const { data, nextCursor } = await client.conference.past({ limit: 10 });
   */
  async past(query: PastRoomsQuery = {}): Promise<Page<PastRoom>> {
    return fromWire(await this.#connection.request('conference.past', query));
  }

  /**
   * Reads a room by its id. `participants` is empty if this wallet could not join the room.
   * @param roomId the id of the room
   * @returns the room. Its `entry` says what happens to this wallet when it joins: it enters (`enter`), waits for a host (`wait`), or is
   * refused (`locked`, `removed`, `full`). It is missing for guests and for rooms that have ended
   * @throws ParleyError NOT_FOUND: there is no such room
   */
  async get(roomId: string): Promise<ConferenceRoom & { entry?: RoomEntry | undefined }> {
    return fromWire(await this.#connection.request('conference.get', { roomId }));
  }

  /**
   * Invites wallets. They are notified, and can join without waiting, even if the room is locked or they were removed. A gate and the
   * room's capacity still apply. Hosts only.
   * @param roomId the id of the room
   * @param addresses 1 to 100 wallet addresses
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError INVALID_ADDRESS: one of the addresses is not a wallet address
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), or has more than 10,000 members and invited wallets
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many invitations; each address counts. Try again after `retryAfter` seconds
   */
  async invite(roomId: string, addresses: (Address | (string & {}))[]): Promise<void> {
    await this.#connection.request('conference.invite', { roomId, addresses });
  }

  /**
   * Starts recording all participants. The recording belongs to this wallet. All participants get `conference:recording`, and those who
   * join later see the room's `isRecording`. The recording stops when the room ends, or with stopRecording(). Hosts only.
   * @param roomId the id of the room
   * @returns the recording, with status `recording`
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: nobody has joined the room yet, it has ended or is already being recorded, or this wallet's recordings
   * use all the storage it may have
   * @throws ParleyError SERVICE_UNAVAILABLE: the server cannot record, or has no space
   */
  async startRecording(roomId: string): Promise<Recording> {
    return fromWire(await this.#connection.request('conference.startRecording', { roomId }));
  }

  /**
   * Stops the recording. The room continues. Soon after, the host who started the recording has its files in `client.recordings`. Hosts
   * only.
   * @param roomId the id of the room
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: the room is not being recorded
   */
  async stopRecording(roomId: string): Promise<void> {
    await this.#connection.request('conference.stopRecording', { roomId });
  }

  /**
   * Raises this wallet's hand, to ask for permission to speak, or lowers it.
   * @param roomId the id of the room
   * @param raised false lowers the hand. Default: true
   * @throws ParleyError NOT_FOUND: this device is not in the room
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), or another device of this wallet has taken over (`replaced`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  async raiseHand(roomId: string, raised = true): Promise<void> {
    await this.#requestAsMember('conference.raiseHand', { roomId, raised });
  }

  /**
   * Sends a chat message to all participants. If the answer is lost, it is sent again for up to 20 seconds, and stored once.
   * @param roomId the id of the room
   * @param content 1 to 2,000 characters
   * @returns the message as the server stored it
   * @throws ParleyError NOT_FOUND: there is no such room, or this wallet is not in it
   * @throws ParleyError ACCESS_DENIED: only hosts may write in this room (`chat_off`), or the participant token does not allow it
   * (`not_granted`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async sendChat(roomId: string, content: string): Promise<ChatMessage> {
    const chat = await sendChat(this.#connection, (identified) =>
      this.#connection.request('conference.sendChat', { roomId, content, ...identified }),
    );
    this.#joined.remember(chat);
    return fromWire(chat);
  }

  /**
   * Reads the room's chat, oldest first. The server keeps the last 500 messages of each room. While a room is open, its participants read its
   * chat; after its end, everyone who was in it. Those whom a host has removed, and those who left a room with a gate before it ended, can
   * read the messages until they left.
   * @param roomId the id of the room
   * @param query.limit the number of messages, 1 to 100. Default: 50
   * @param query.before the id of a message: reads the messages before it. Default: the latest messages
   * @returns the messages
   * @throws ParleyError NOT_FOUND: there is no such room, or this wallet is not in it and, after its end, never was
   */
  async getChat(roomId: string, query: { limit?: number; before?: string } = {}): Promise<ChatMessage[]> {
    return fromWire(await this.#connection.request('conference.getChat', { roomId, ...query }));
  }

  /**
   * Sends data to the other participants, who get `conference:data`. The server keeps nothing: a participant who is away gets nothing
   * later. The messages of one sender arrive in the order of the calls. The promise resolves when the server has sent the message on.
   * @param roomId the id of the room
   * @param topic what the data is about, in your own words: 1 to 64 characters
   * @param data bytes, or a JSON value nested up to 100 levels deep. At most 16,384 bytes; JSON is measured in UTF-8 without spaces
   * @param options.to the ids of the participants to send it to, 1 to 100; those who have left are passed over. Default: everybody
   * @param options.reliable false drops it for participants whose connection is congested. Default: true
   * @throws ParleyError VALIDATION_ERROR: the data is too large or not JSON, or another parameter is out of bounds
   * @throws ParleyError NOT_FOUND: there is no such room, this device is not in it, or none of the participants in `to` is
   * @throws ParleyError ACCESS_DENIED: the participant token of this guest does not allow it (`not_granted`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), or another device of this wallet has taken over (`replaced`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many messages. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: too many messages of this device wait for the server's database
   * @example await client.conference.sendData(room.id, 'cursor', { x: 12, y: 40 }, { reliable: false });
   */
  async sendData(
    roomId: string,
    topic: string,
    data: Uint8Array | JsonValue,
    options: SendDataOptions = {},
  ): Promise<void> {
    await this.#requestAsMember('conference.sendData', { roomId, topic, ...toWireData(data), ...options });
  }

  /**
   * Lists the wallets in the waiting room, longest wait first. Hosts only.
   * @param roomId the id of the room
   * @returns the waiting wallets
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   */
  async getWaiting(roomId: string): Promise<RoomWaiter[]> {
    return fromWire(await this.#connection.request('conference.getWaiting', { roomId }));
  }

  /**
   * Admits a wallet from the waiting room. Hosts only.
   * @param roomId the id of the room
   * @param walletAddress the address of the waiting wallet
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError ROOM_FULL: the room is full (`room_full`)
   * @throws ParleyError NOT_FOUND: there is no such room, or the wallet is not waiting
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   */
  async admit(roomId: string, walletAddress: string): Promise<void> {
    await this.#connection.request('conference.admit', { roomId, walletAddress });
  }

  /**
   * Admits the wallets in the waiting room, longest wait first, until the room is full. Hosts only.
   * @param roomId the id of the room
   * @returns how many were admitted, and how many still wait
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError ROOM_FULL: the room is full (`room_full`)
   */
  async admitAll(roomId: string): Promise<{ admitted: number; waiting: number }> {
    return this.#connection.request('conference.admitAll', { roomId });
  }

  /**
   * Denies entry to a wallet in the waiting room, which can then join only after an invitation. Hosts only.
   * @param roomId the id of the room
   * @param walletAddress the address of the waiting wallet
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError NOT_FOUND: there is no such room, or the wallet is not waiting
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   */
  async deny(roomId: string, walletAddress: string): Promise<void> {
    await this.#connection.request('conference.deny', { roomId, walletAddress });
  }

  /**
   * Sends a request that the server accepts only from the participant's current device. After a lost connection, it first waits until this
   * device has rejoined the room.
   */
  async #requestAsMember<
    Name extends
      | 'conference.raiseHand'
      | 'conference.sendData'
      | `conference.${'mute' | 'unmute'}${'Audio' | 'Video'}`
      | `conference.${'start' | 'stop'}ScreenShare`,
  >(name: Name, payload: RequestInput<Name>): Promise<void> {
    await this.#joined.memberships.claimed(payload.roomId);
    await this.#connection.request(name, payload);
  }
}
