import { ParleyError } from '../protocol/errors.ts';
import type { Connection } from './connection/Connection.ts';
import { fromWire } from './connection/fromWire.ts';
import { sendChat } from './connection/sendChat.ts';
import type { Listeners } from './connection/Listeners.ts';
import type { Media } from './media/media.ts';
import { ActiveStreams } from './rooms/ActiveStreams.ts';
import { EnteringStreams, type StartStream, type WatchStream } from './rooms/EnteringStreams.ts';
import type {
  GateConfig,
  LiveStream,
  ParleyEvents,
  StreamChatMessage,
  StreamStatus,
  Viewer,
} from './types.ts';

/** The stream to create. */
export interface NewStream {
  /** 1 to 100 characters. */
  title: string;
  /** Up to 2,000 characters. @default '' */
  description?: string;
  /**
   * Whether the stream is listed, and open to everyone unless it has a gate. A private stream without a gate is open only to holders of a
   * viewer token. @default true
   */
  isPublic?: boolean;
  /** The condition a wallet must meet to watch. @default none */
  gate?: GateConfig;
  /** Whether to record the stream. Viewers can see this in the stream's `record`. @default false */
  record?: boolean;
}

/** Selects streams. */
export interface StreamsQuery {
  /** The wallet whose streams to list; null for all public live streams. @default this wallet */
  host?: string | null;
  /** Only streams with this status; ignored if `host` is null. @default `idle` and `live` */
  status?: StreamStatus;
  /** 1 to 100. @default 50 */
  limit?: number;
  /** Streams to skip, 0 to 100,000. @default 0 */
  offset?: number;
}

/** Live streams: `client.streaming`. */
export class Streaming {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #active: ActiveStreams;
  readonly #entering: EnteringStreams;

  constructor(connection: Connection, media: Media, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    this.#media = media;
    this.#active = new ActiveStreams(connection, media, events);
    this.#entering = new EnteringStreams(media, this.#active, (streamId) => this.muteVideo(streamId));
  }

  /**
   * Creates a stream with this wallet as its host. The stream goes live once it is published: by this client with start(), or by a program
   * such as OBS or ffmpeg with its `streamKey`.
   * @param stream the stream: its title of 1 to 100 characters, and who may watch it
   * @returns the stream, with its `streamKey`
   * @throws ParleyError VALIDATION_ERROR: a field is out of bounds, or the gate names an unknown chain, or a contract that does not support
   * the condition (`invalid_gate`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError CONFLICT: this wallet has 200 streams that have not ended
   * @throws ParleyError SERVICE_UNAVAILABLE: the server cannot record, or a chain of the gate cannot be read
   * @example const stream = await client.streaming.create({ title: 'Friday', record: true });
   */
  async create(stream: NewStream): Promise<LiveStream> {
    return fromWire(await this.#connection.request('streaming.create', stream));
  }

  /**
   * Publishes the stream from this device, in place of the current publisher. Host only.
   * @param options the stream, and what to send. With `ownTracks`, it also sends what media.publish() is given. Default: camera and
   * microphone, in `1080p`
   * @throws ParleyError VALIDATION_ERROR: neither audio nor video nor `ownTracks`, or an unknown quality
   * @throws ParleyError PERMISSION_DENIED: microphone, camera or screen refused
   * @throws ParleyError NOT_FOUND: there is no such stream, camera or microphone
   * @throws ParleyError ACCESS_DENIED: only the host of the stream may do this (`not_the_host`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`), or the camera or microphone is in use
   * @example await client.streaming.start({ streamId: stream.id, quality: '720p' });
   */
  async start(options: StartStream): Promise<void> {
    await this.#entering.publish(options);
  }

  /**
   * Ends the stream for all viewers, permanently. Host only.
   * @param streamId the id of the stream
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: only the host of the stream may do this (`not_the_host`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   */
  async end(streamId: string): Promise<void> {
    await this.#connection.request('streaming.end', { streamId });
    this.#active.forget(streamId);
  }

  /**
   * Watches a stream on this device. `media:track` delivers its video and audio as soon as they arrive.
   * @param streamId the id of the stream
   * @param options.displayName the name shown to the host, 1 to 64 characters. Default: none
   * @param options.token the viewer token of a private stream, from its host's getViewerToken()
   * @returns the stream
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: the stream is private, and the token is missing or not valid (`token_needed`), this wallet is banned
   * (`banned`), the gate is on another network than the session (`other_network`), or the wallet does not pass it (`requirement_missing`:
   * then `extra` is the AccessResult)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`), or this device publishes it (`own_stream`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: a chain cannot be read
   * @example await client.streaming.watch(stream.id, { displayName: 'Ada' });
   */
  async watch(streamId: string, options: WatchStream = {}): Promise<LiveStream> {
    return this.#entering.watch(streamId, options);
  }

  /**
   * Stops watching a stream. Does nothing if this device does not watch it.
   * @param streamId the id of the stream
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async unwatch(streamId: string): Promise<void> {
    await this.#active.unwatch(streamId);
  }

  /**
   * Mutes the microphone immediately, in a stream that this device publishes.
   * @param streamId the id of the stream
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: this device does not publish the stream (`not_the_publisher`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   */
  async muteAudio(streamId: string): Promise<void> {
    await this.#media.sending.switchOff(streamId, 'microphone', () =>
      this.#connection.request('streaming.muteAudio', { streamId }),
    );
  }

  /**
   * Unmutes the microphone, and opens it if necessary. No effect if it is muted again meanwhile.
   * @param streamId the id of the stream
   * @throws ParleyError NOT_FOUND: there is no such stream, or no microphone
   * @throws ParleyError ACCESS_DENIED: this device does not publish the stream (`not_the_publisher`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`), or the microphone is in use
   * @throws ParleyError PERMISSION_DENIED: the microphone was refused
   */
  async unmuteAudio(streamId: string): Promise<void> {
    await this.#media.sending.switchMicrophoneOn(streamId, () =>
      this.#connection.request('streaming.unmuteAudio', { streamId }),
    );
  }

  /**
   * Switches the camera off.
   * @param streamId the id of the stream
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: this device does not publish the stream (`not_the_publisher`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   */
  async muteVideo(streamId: string): Promise<void> {
    await this.#media.sending.switchOff(streamId, 'camera', () =>
      this.#connection.request('streaming.muteVideo', { streamId }),
    );
  }

  /**
   * Switches the camera on. No effect if it is switched off again while it opens.
   * @param streamId the id of the stream
   * @throws ParleyError NOT_FOUND: there is no such stream, or no camera
   * @throws ParleyError ACCESS_DENIED: this device does not publish the stream (`not_the_publisher`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`), or the camera is in use
   * @throws ParleyError PERMISSION_DENIED: the camera was refused
   */
  async unmuteVideo(streamId: string): Promise<void> {
    await this.#media.sending.switchCameraOn(streamId, () =>
      this.#connection.request('streaming.unmuteVideo', { streamId }),
    );
  }

  /**
   * Publishes a screen, window or tab that the user chooses, in addition to the camera. Only for the device that publishes the stream.
   * @param streamId the id of the stream
   * @param options.audio false shares the screen without its audio. Default: true, if the browser supports it
   * @throws ParleyError PERMISSION_DENIED: refused or not supported
   * @throws ParleyError ACCESS_DENIED: this device watches the stream, or another device or program has taken over publishing
   * (`not_the_publisher`)
   * @throws ParleyError CONFLICT: this device has no media in the stream, or left it while the user was choosing
   */
  async startScreenShare(streamId: string, options: { audio?: boolean } = {}): Promise<void> {
    if (this.#active.does(streamId) === 'watches') {
      const message = 'Only the device that publishes the stream can share its screen.';
      throw new ParleyError('ACCESS_DENIED', message, { reason: 'not_the_publisher' });
    }
    await this.#media.sending.startScreen(streamId, options);
  }

  /**
   * Stops sharing the screen.
   * @param streamId the id of the stream
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async stopScreenShare(streamId: string): Promise<void> {
    await this.#media.sending.stopScreen(streamId);
  }

  /**
   * Reads a stream by its id. `streamKey` is empty for all wallets except the host.
   * @param streamId the id of the stream
   * @returns the stream
   * @throws ParleyError NOT_FOUND: there is no such stream
   */
  async get(streamId: string): Promise<LiveStream> {
    return fromWire(await this.#connection.request('streaming.get', { streamId }));
  }

  /**
   * Lists streams, newest first.
   * @param query.host the wallet whose streams to list (only its public ones, if it is another wallet); null for all public live streams.
   * Default: this wallet
   * @param query.status only streams with this status; ignored if `host` is null. Default: `idle` and `live`
   * @param query.limit 1 to 100. Default: 50
   * @param query.offset streams to skip, 0 to 100,000. Default: 0
   * @returns the streams
   * @throws ParleyError INVALID_ADDRESS: `host` is not a wallet address
   */
  async list(query: StreamsQuery = {}): Promise<LiveStream[]> {
    return fromWire(await this.#connection.request('streaming.list', query));
  }

  /**
   * Replaces the stream key. A publisher that uses the old key is disconnected, and viewer tokens that the host has shared become invalid.
   * Host only.
   * @param streamId the id of the stream
   * @returns the stream with its new `streamKey`
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: only the host of the stream may do this (`not_the_host`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   */
  async resetKey(streamId: string): Promise<LiveStream> {
    return fromWire(await this.#connection.request('streaming.resetKey', { streamId }));
  }

  /**
   * Lists the viewers, earliest first. Host only.
   * @param streamId the id of the stream
   * @param query.limit 1 to 100. Default: 50
   * @param query.offset viewers to skip, 0 to 100,000. Default: 0
   * @returns the viewers
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: only the host of the stream may do this (`not_the_host`)
   */
  async getViewers(streamId: string, query: { limit?: number; offset?: number } = {}): Promise<Viewer[]> {
    return fromWire(await this.#connection.request('streaming.getViewers', { streamId, ...query }));
  }

  /**
   * Creates a token for players that are not signed in. WHEP and HLS accept it as `?token=` or as a bearer token. A viewer gets a personal
   * token, with which playback must start within an hour. The host of a private stream without a gate gets a token to share: anyone may use
   * it for a day, or until resetKey().
   * @param streamId the id of the stream
   * @returns the token, and when it expires
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: this wallet may not watch (`token_needed`, `banned`, `other_network` or `requirement_missing`, as
   * for watch())
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: a chain cannot be read
   */
  async getViewerToken(streamId: string): Promise<{ token: string; expiresAt: Date }> {
    return fromWire(await this.#connection.request('streaming.getViewerToken', { streamId }));
  }

  /**
   * Sends a chat message to the host and all viewers. Only for the host and viewers. If the answer is lost, it is sent again for up to 20
   * seconds, and stored once.
   * @param streamId the id of the stream
   * @param content 1 to 500 characters
   * @returns the message as the server stored it
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: this wallet is not watching (`not_watching`), or is banned (`banned`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async sendChat(streamId: string, content: string): Promise<StreamChatMessage> {
    const chat = await sendChat(this.#connection, (identified) =>
      this.#connection.request('streaming.sendChat', { streamId, content, ...identified }),
    );
    this.#active.remember(chat);
    return fromWire(chat);
  }

  /**
   * Reads the stream's chat, oldest first. The server keeps the last 500 messages until the stream ends. Only for the host and viewers.
   * @param streamId the id of the stream
   * @param query.limit the number of messages, 1 to 100. Default: 50
   * @param query.before the id of a message: reads the messages before it. Default: the latest messages
   * @returns the messages
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: this wallet is not watching (`not_watching`), or is banned (`banned`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   */
  async getChat(
    streamId: string,
    query: { limit?: number; before?: string } = {},
  ): Promise<StreamChatMessage[]> {
    return fromWire(await this.#connection.request('streaming.getChat', { streamId, ...query }));
  }

  /**
   * Deletes a chat message. Only for its sender and the host.
   * @param streamId the id of the stream
   * @param messageId the id of the message
   * @throws ParleyError NOT_FOUND: there is no such stream or message
   * @throws ParleyError ACCESS_DENIED: another wallet sent the message, and this wallet is not the host (`not_yours`)
   */
  async deleteChat(streamId: string, messageId: string): Promise<void> {
    await this.#connection.request('streaming.deleteChat', { streamId, messageId });
  }

  /**
   * Bans a wallet from the stream and its chat, or lifts the ban. Host only.
   * @param streamId the id of the stream
   * @param walletAddress the address of the wallet
   * @param banned false lifts the ban. Default: true
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: only the host of the stream may do this (`not_the_host`)
   * @throws ParleyError CONFLICT: the host cannot be banned, or the stream has 10,000 bans
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   */
  async ban(streamId: string, walletAddress: string, banned = true): Promise<void> {
    await this.#connection.request('streaming.ban', { streamId, walletAddress, banned });
  }
}
