import { ParleyError } from '../protocol/errors.ts';
import type { StreamQuality } from '../protocol/streaming.ts';
import type { RequestInput } from '../protocol/wire.ts';
import { hasMedia } from './capture.ts';
import type { Connection } from './Connection.ts';
import { fromWire } from './fromWire.ts';
import type { Listeners } from './Listeners.ts';
import type { Media } from './media.ts';
import { qualities } from './qualities.ts';
import { StreamsHere } from './StreamsHere.ts';
import type {
  GateConfig,
  LiveStream,
  ParleyEvents,
  StreamChatMessage,
  VideoConfig,
  Viewer,
} from './types.ts';

export interface NewStream {
  title: string;
  description?: string;
  /** Listed, and open to anybody. @default true */
  isPublic?: boolean;
  /** What a wallet has to hold, or be, to watch. */
  gate?: GateConfig;
  /** Viewers are told so. @default false */
  record?: boolean;
}

interface StartStream {
  streamId: string;
  /** The camera to use; false sends no picture. @default true */
  video?: boolean | VideoConfig;
  /** @default true */
  audio?: boolean;
  /** At 30 frames a second: 2.5, 4.5 and 13 Mbit/s. @default '1080p' */
  quality?: StreamQuality;
}

interface WatchStream {
  displayName?: string;
  /** What a private stream is opened with: its host's getViewerToken() gives it. */
  token?: string;
}

interface StreamsQuery extends Omit<RequestInput<'streaming.list'>, 'host'> {
  /** Whose streams: this wallet's where left out; null for public ones that are live. */
  host?: string | null;
}

/** Live streams: `client.streaming`. */
export class Streaming {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #here: StreamsHere;

  constructor(connection: Connection, media: Media, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    this.#media = media;
    this.#here = new StreamsHere(connection, media, events);
  }

  /**
   * Makes a stream, with this wallet as its host. It is live as soon as somebody sends: this client by start(), or a program with its
   * `streamKey` (OBS, ffmpeg).
   * @throws ParleyError VALIDATION_ERROR (its gate), RATE_LIMIT_EXCEEDED, CONFLICT (too many)
   * @example const stream = await client.streaming.create({ title: 'Friday', gate: { type: 'nft', … } });
   */
  async create(stream: NewStream): Promise<LiveStream> {
    return fromWire(await this.#connection.request('streaming.create', stream));
  }

  /**
   * Publishes with this device, instead of whoever does. Its host alone.
   * @throws ParleyError PERMISSION_DENIED (no microphone or camera), ACCESS_DENIED, CONFLICT (it has ended)
   * @example await client.streaming.start({ streamId: stream.id, quality: '720p' });
   */
  async start({ streamId, video = true, audio = true, quality = '1080p' }: StartStream): Promise<void> {
    const { width, height } = qualities[quality];
    const asked = typeof video === 'object' ? video : {};
    const camera = video && { width, height, frameRate: 30, ...asked };
    // Before anybody is cut off: whoever refuses the camera has changed nothing.
    const tracks = hasMedia() && (audio || video) ? await this.#media.capture({ audio, video: camera }) : [];
    try {
      await this.#here.publish(streamId);
      if (hasMedia()) await this.#media.open('stream', streamId, tracks, { codec: asked.codec, quality });
    } catch (error) {
      tracks.forEach((track) => track.stop());
      this.#here.forget(streamId);
      throw error;
    }
  }

  /** Ends it, for everybody and for good. Its host alone. */
  async end(streamId: string): Promise<void> {
    await this.#connection.request('streaming.end', { streamId });
    this.#here.forget(streamId);
  }

  /**
   * Watches with this device: `media:track` brings its picture and sound, as soon as they flow.
   * @throws ParleyError ACCESS_DENIED (private, banned; for a gate `extra` is the AccessResult), CONFLICT (it has ended)
   * @example await client.streaming.watch(stream.id, { displayName: 'Ada' });
   */
  async watch(streamId: string, { displayName, token }: WatchStream = {}): Promise<LiveStream> {
    if (this.#here.does(streamId) === 'publishes')
      throw new ParleyError('CONFLICT', 'This device publishes the stream: media.localStream() shows it.');
    const { stream } = await this.#here.watch({
      streamId,
      ...(displayName === undefined ? {} : { displayName }),
      ...(token === undefined ? {} : { token }),
    });
    try {
      if (hasMedia()) await this.#media.open('stream', streamId, []);
    } catch (error) {
      // Over, or put out, before the media was there: that is told already.
      if (this.#here.does(streamId)) await this.#here.unwatch(streamId).catch(() => undefined);
      throw error;
    }
    return fromWire(stream);
  }

  async unwatch(streamId: string): Promise<void> {
    await this.#here.unwatch(streamId);
  }

  async muteAudio(streamId: string): Promise<void> {
    await this.#media.session(streamId)?.pause('microphone');
    await this.#connection.request('streaming.muteAudio', { streamId });
  }

  async unmuteAudio(streamId: string): Promise<void> {
    await this.#connection.request('streaming.unmuteAudio', { streamId });
    if (hasMedia()) await this.#media.startMicrophone(streamId);
  }

  /** Switches the camera off. */
  async muteVideo(streamId: string): Promise<void> {
    await this.#media.session(streamId)?.pause('camera');
    await this.#connection.request('streaming.muteVideo', { streamId });
  }

  async unmuteVideo(streamId: string): Promise<void> {
    if (hasMedia()) await this.#media.startCamera(streamId);
    await this.#connection.request('streaming.unmuteVideo', { streamId });
  }

  /** Sends a screen, a window or a tab besides, as the user chooses, with its sound where the browser has that. */
  async startScreenShare(streamId: string, options: { audio?: boolean } = {}): Promise<void> {
    await this.#media.startScreen(streamId, options);
  }

  async stopScreenShare(streamId: string): Promise<void> {
    await this.#media.stopScreen(streamId);
  }

  /** A stream by its id. Its key is in it for its host alone. */
  async get(streamId: string): Promise<LiveStream> {
    return fromWire(await this.#connection.request('streaming.get', { streamId }));
  }

  /** Newest first, without those that ended unless `status` asks for them. */
  async list(query: StreamsQuery = {}): Promise<LiveStream[]> {
    return fromWire(await this.#connection.request('streaming.list', query));
  }

  /** Gives it another key: the former is void, who publishes with it is cut off, and tokens for anybody are void. Its host alone. */
  async resetKey(streamId: string): Promise<LiveStream> {
    return fromWire(await this.#connection.request('streaming.resetKey', { streamId }));
  }

  /** Who watches, the first to come first: 50, or `limit`. Its host alone. */
  async getViewers(streamId: string, query: { limit?: number; offset?: number } = {}): Promise<Viewer[]> {
    return fromWire(await this.#connection.request('streaming.getViewers', { streamId, ...query }));
  }

  /**
   * What players show that are not signed in (WHEP, HLS: `?token=`, or as a bearer): whoever may watch gets one of their own, to begin
   * within an hour. The host of a private stream without a gate gets one for anybody, good for a day or until resetKey().
   */
  async getViewerToken(streamId: string): Promise<{ token: string; expiresAt: Date }> {
    return fromWire(await this.#connection.request('streaming.getViewerToken', { streamId }));
  }

  /** Says something to everybody who watches: up to 500 characters. Its host, and who watches. */
  async sendChat(streamId: string, content: string): Promise<StreamChatMessage> {
    const said = await this.#connection.request('streaming.sendChat', { streamId, content });
    this.#here.said(said);
    return fromWire(said);
  }

  /** What was said, the oldest first: the last ones (50), or those before one. It is kept while the stream lasts, the last 500. */
  async getChat(
    streamId: string,
    query: { limit?: number; before?: string } = {},
  ): Promise<StreamChatMessage[]> {
    return fromWire(await this.#connection.request('streaming.getChat', { streamId, ...query }));
  }

  /** Takes back what was said. Its sender, or the host. */
  async deleteChat(streamId: string, messageId: string): Promise<void> {
    await this.#connection.request('streaming.deleteChat', { streamId, messageId });
  }

  /** Puts a wallet out of the stream and its chat. Its host alone. @param banned false lets it in again */
  async ban(streamId: string, walletAddress: string, banned = true): Promise<void> {
    await this.#connection.request('streaming.ban', { streamId, walletAddress, banned });
  }
}
