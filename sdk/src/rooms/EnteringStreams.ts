import { ParleyError } from '../../protocol/errors.ts';
import type { StreamQuality } from '../../protocol/streaming.ts';
import type { RequestInput } from '../../protocol/wire.ts';
import { fromWire } from '../connection/fromWire.ts';
import { invalid } from '../connection/guard.ts';
import type { Media } from '../media/media.ts';
import { qualities } from '../media/qualities.ts';
import type { AudioConfig, LiveStream, VideoConfig } from '../types.ts';
import type { ActiveStreams } from './ActiveStreams.ts';
import { Attempts } from './Attempts.ts';

/** What the host sends. */
export interface StartStream {
  streamId: string;
  /** The camera to use; `screen` to send a screen, window or tab that the user chooses; false to send no video. @default true */
  video?: boolean | VideoConfig | 'screen';
  /** The microphone to use; false sends none. @default true */
  audio?: boolean | AudioConfig;
  /** Whether the app sends tracks of its own, with media.publish(): then audio and video may both be false. @default false */
  ownTracks?: boolean;
  /** Size and bitrate at 30 frames per second: 2.5 (`720p`), 4.5 (`1080p`) or 13 Mbit/s (`4k`). @default '1080p' */
  quality?: StreamQuality;
}

/** How to watch a stream. */
export interface WatchStream {
  /** The name shown to the host, 1 to 64 characters. */
  displayName?: string;
  /** The viewer token of a private stream, from its host's getViewerToken(). */
  token?: string;
}

/** Publishes and watches streams on this device. */
export class EnteringStreams {
  readonly #media: Media;
  readonly #active: ActiveStreams;
  readonly #muteVideo: (streamId: string) => Promise<void>;
  readonly #attempts = new Attempts();
  readonly #watches = new Attempts();

  constructor(media: Media, active: ActiveStreams, muteVideo: (streamId: string) => Promise<void>) {
    this.#media = media;
    this.#active = active;
    this.#muteVideo = muteVideo;
  }

  async publish(options: StartStream): Promise<void> {
    const { streamId, video = true, audio = true, ownTracks = false, quality = '1080p' } = options;
    if (!Object.hasOwn(qualities, quality))
      throw invalid('quality', `quality must be one of ${Object.keys(qualities).join(', ')}.`);
    if (!video && !audio && !ownTracks)
      throw invalid(
        'video',
        'There is nothing to publish: turn on audio or video, or say that the app sends ownTracks.',
      );
    this.#media.checkHandler();
    // The devices are opened before the current publisher is replaced, so that a refused camera does not interrupt the stream.
    const tracks =
      this.#media.isAvailable && (audio || video) ? await this.#capture(video, audio, quality) : [];
    const { codec } = typeof video === 'object' ? video : {};
    await this.#attempts.run(streamId, async (isReplaced) => {
      let isEntered = false;
      try {
        const joined = await this.#active.publish(streamId);
        isEntered = true;
        // A later start() opens the media, as in watch(); or an event has reported why this device does not publish.
        if ((await isReplaced()) || !this.#active.does(streamId)) tracks.forEach((track) => track.stop());
        else if (this.#media.isAvailable)
          await this.#media.open('stream', streamId, tracks, { codec, quality, joined });
      } catch (error) {
        tracks.forEach((track) => track.stop());
        if (await isReplaced()) return;
        // A refused request leaves what an earlier start has entered, which goes on. Opening the media has ended its media.
        if (isEntered) this.#active.forget(streamId);
        throw error;
      }
    });
    if (video !== 'screen') return;
    // If the user stops sharing with the browser's button, mute the video. Otherwise viewers would keep seeing its last frame.
    const screen = tracks.find(({ kind }) => kind === 'video');
    screen?.addEventListener('ended', () => void this.#muteVideo(streamId).catch(() => undefined));
  }

  /** Captures the devices. A screen is published as the stream's camera video, which every player shows. */
  async #capture(
    video: NonNullable<StartStream['video']>,
    audio: boolean | AudioConfig,
    quality: StreamQuality,
  ): Promise<MediaStreamTrack[]> {
    const { width, height } = qualities[quality];
    const size = { width, height, frameRate: 30 };
    if (video !== 'screen')
      return this.#media.inputs.capture({
        audio,
        video: video && { ...size, ...(video === true ? {} : video) },
      });
    // The screen is captured first, because browsers let the user choose one only right after a click.
    const screen = await this.#media.inputs.captureScreen({ audio: false });
    try {
      return [...screen, ...(audio ? await this.#media.inputs.capture({ audio, video: false }) : [])];
    } catch (error) {
      screen.forEach((track) => track.stop());
      throw error;
    }
  }

  async watch(streamId: string, { displayName, token }: WatchStream): Promise<LiveStream> {
    if (this.#active.does(streamId) === 'publishes')
      throw new ParleyError(
        'CONFLICT',
        'This device publishes the stream. Show media.localStream() instead of watching.',
        { reason: 'own_stream' },
      );
    // A browser without WebRTC plays it by HLS.
    if (this.#media.isAvailable) this.#media.checkHandler();
    const request: RequestInput<'streaming.watch'> = {
      streamId,
      ...(displayName === undefined ? {} : { displayName }),
      ...(token === undefined ? {} : { token }),
    };
    return this.#watches.run(streamId, async (isReplaced) => {
      const { stream, media: joined } = await this.#active.watch(request);
      // A later watch() opens the media. If both did, the one that joins last would close what the other has joined.
      if (await isReplaced()) return fromWire(stream);
      try {
        if (this.#media.isAvailable && this.#active.does(streamId))
          await this.#media.open('stream', streamId, [], { joined });
      } catch (error) {
        // If the stream ended or removed this wallet in the meantime, an event has reported that.
        if (this.#active.does(streamId)) await this.#active.unwatch(streamId).catch(() => undefined);
        throw error;
      }
      return fromWire(stream);
    });
  }
}
