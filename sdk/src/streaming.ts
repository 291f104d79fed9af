import { ParleyError } from '../protocol/errors.ts';
import type { StreamQuality } from '../protocol/streaming.ts';
import type { RequestInput } from '../protocol/wire.ts';
import type { Connection } from './connection/Connection.ts';
import { invalid } from './connection/guard.ts';
import { fromWire } from './connection/fromWire.ts';
import type { Listeners } from './connection/Listeners.ts';
import type { Media } from './media/media.ts';
import { qualities } from './media/qualities.ts';
import { ActiveStreams } from './rooms/ActiveStreams.ts';
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
  /** The camera to use; a screen, a window or a tab, as the user chooses; false sends no picture. @default true */
  video?: boolean | VideoConfig | 'screen';
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
  readonly #active: ActiveStreams;

  constructor(connection: Connection, media: Media, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    this.#media = media;
    this.#active = new ActiveStreams(connection, media, events);
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
   * @throws ParleyError VALIDATION_ERROR (neither audio nor video), PERMISSION_DENIED (no microphone or camera), ACCESS_DENIED,
   * CONFLICT (it has ended)
   * @example await client.streaming.start({ streamId: stream.id, quality: '720p' });
   */
  async start({ streamId, video = true, audio = true, quality = '1080p' }: StartStream): Promise<void> {
    if (!Object.hasOwn(qualities, quality))
      throw invalid('quality', `quality must be one of ${Object.keys(qualities).join(', ')}.`);
    if (!audio && !video)
      throw new ParleyError('VALIDATION_ERROR', 'There is nothing to publish: turn on audio or video.', {
        details: [{ path: 'video', code: 'nothing_to_send', message: 'audio and video are both off' }],
      });
    this.#media.checkHandler();
    // Before the current publisher is cut off: a refused camera must not change anything.
    const tracks =
      this.#media.isAvailable && (audio || video) ? await this.#capture(video, audio, quality) : [];
    const { codec } = typeof video === 'object' ? video : {};
    try {
      await this.#active.publish(streamId);
      if (this.#media.isAvailable) await this.#media.open('stream', streamId, tracks, { codec, quality });
    } catch (error) {
      tracks.forEach((track) => track.stop());
      this.#active.forget(streamId);
      throw error;
    }
    if (video !== 'screen') return;
    // The browser's own button ends it: nobody is to look at what stands still.
    const screen = tracks.find(({ kind }) => kind === 'video');
    screen?.addEventListener('ended', () => void this.muteVideo(streamId).catch(() => undefined));
  }

  /** What is on a screen is sent as the stream's one picture, which every player shows. */
  async #capture(
    video: NonNullable<StartStream['video']>,
    audio: boolean,
    quality: StreamQuality,
  ): Promise<MediaStreamTrack[]> {
    const { width, height } = qualities[quality];
    const size = { width, height, frameRate: 30 };
    if (video !== 'screen')
      return this.#media.capture({ audio, video: video && { ...size, ...(video === true ? {} : video) } });
    // First: browsers show what there is to choose from only right after a click.
    const screen = await this.#media.captureScreen({ audio: false });
    try {
      return [...screen, ...(audio ? await this.#media.capture({ audio, video: false }) : [])];
    } catch (error) {
      screen.forEach((track) => track.stop());
      throw error;
    }
  }

  /** Ends it, for everybody and for good. Its host alone. */
  async end(streamId: string): Promise<void> {
    await this.#connection.request('streaming.end', { streamId });
    this.#active.forget(streamId);
  }

  /**
   * Watches with this device: `media:track` brings its picture and sound, as soon as they flow.
   * @throws ParleyError ACCESS_DENIED (private, banned; for a gate `extra` is the AccessResult), CONFLICT (it has ended)
   * @example await client.streaming.watch(stream.id, { displayName: 'Ada' });
   */
  async watch(streamId: string, { displayName, token }: WatchStream = {}): Promise<LiveStream> {
    if (this.#active.does(streamId) === 'publishes')
      throw new ParleyError('CONFLICT', 'This device publishes the stream: media.localStream() shows it.');
    this.#media.checkHandler();
    const { stream } = await this.#active.watch({
      streamId,
      ...(displayName === undefined ? {} : { displayName }),
      ...(token === undefined ? {} : { token }),
    });
    try {
      if (this.#media.isAvailable) await this.#media.open('stream', streamId, []);
    } catch (error) {
      // Over, or put out, before the media was there: that is told already.
      if (this.#active.does(streamId)) await this.#active.unwatch(streamId).catch(() => undefined);
      throw error;
    }
    return fromWire(stream);
  }

  async unwatch(streamId: string): Promise<void> {
    await this.#active.unwatch(streamId);
  }

  async muteAudio(streamId: string): Promise<void> {
    await this.#media.session(streamId)?.pause('microphone');
    await this.#connection.request('streaming.muteAudio', { streamId });
  }

  async unmuteAudio(streamId: string): Promise<void> {
    await this.#media.session(streamId)?.settled();
    await this.#connection.request('streaming.unmuteAudio', { streamId });
    if (this.#media.isAvailable) await this.#media.startMicrophone(streamId);
  }

  /** Switches the camera off. */
  async muteVideo(streamId: string): Promise<void> {
    await this.#media.session(streamId)?.pause('camera');
    await this.#connection.request('streaming.muteVideo', { streamId });
  }

  async unmuteVideo(streamId: string): Promise<void> {
    if (this.#media.isAvailable) await this.#media.startCamera(streamId);
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
    const chat = await this.#connection.request('streaming.sendChat', { streamId, content });
    this.#active.remember(chat);
    return fromWire(chat);
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
