import type { Source } from '../../protocol/media.ts';
import type { ParleyError } from '../../protocol/errors.ts';
import type { AccessResult, ConnectionState, LiveStream, MediaTrack, Observable } from '../types.ts';

/** The events of a client that a player needs, with their payloads: see ParleyEvents. */
export interface PlayerEvents {
  'stream:updated': LiveStream;
  'stream:ended': LiveStream;
  'stream:removed': { streamId: string; reason: string };
  'stream:viewer:count': { streamId: string; count: number };
  'media:track': Pick<MediaTrack, 'id' | 'source' | 'track'>;
  'media:track:ended': Pick<MediaTrack, 'id' | 'source' | 'track'>;
  'media:failed': { id: string };
}

/** The part of a client that a player needs. A `Parley` client has it. */
export interface PlayerClient {
  readonly state: ConnectionState;
  /**
   * See Parley.on(). Never throws.
   * @param event the name of the event
   * @param handler called with the payload of each event
   * @returns a function that removes the handler
   */
  on<Name extends keyof PlayerEvents>(
    event: Name,
    handler: (payload: PlayerEvents[Name]) => void,
  ): () => void;
  /**
   * See Parley.guest().
   * @returns the guest; null for a wallet
   * @throws ParleyError as Parley.guest()
   */
  guest(): Promise<object | null>;
  readonly media: {
    receivingState(id: string): RTCPeerConnectionState | null;
    stats(id: string): Promise<{ receiving: RTCStats[] }>;
  };
  readonly streaming: {
    get(streamId: string): Promise<LiveStream>;
    watch(streamId: string, options: { displayName?: string; token?: string }): Promise<LiveStream>;
    unwatch(streamId: string): Promise<void>;
    getViewerToken(streamId: string): Promise<{ token: string }>;
  };
}

/** The stream to watch. */
export interface WatchOptions {
  streamId: string;
  /** The server's URL. @default the page's origin */
  baseUrl?: string;
  /** The element that plays the stream. @default none: see `show` of the result */
  element?: HTMLVideoElement;
  /** The viewer token of a private stream. */
  token?: string;
  /** A client that is signed in: the stream is watched as its wallet or guest, with events. @default none: without a wallet */
  client?: PlayerClient;
  /** The name shown to the host, with a client. */
  displayName?: string;
  /** Called with each new state. */
  onState?: (state: PlayerState) => void;
}

/** What a player knows about its stream. */
export interface PlayerState {
  /**
   * `open`: the stream may be watched, and plays whenever it is live. `refused`: it may not, for `reason`. `failed`: it could not be read,
   * for `error`. `ended`: it is over.
   */
  phase: 'loading' | 'open' | 'refused' | 'failed' | 'ended';
  stream: LiveStream | null;
  /** How the stream is played. HLS is a few seconds behind, and is used where WebRTC does not get through. */
  way: 'webrtc' | 'hls';
  /** Whether there is something to play. */
  hasMedia: boolean;
  /** Whether media is missing although the stream is live. The player tries again by itself. */
  isStuck: boolean;
  /** Whether the host has turned off the video or everything. */
  off: 'video' | 'all' | null;
  /** Whether the browser blocks the sound, so that the element is muted. Unmute it in a click. */
  isSilenced: boolean;
  /** The tracks that are received by WebRTC. */
  tracks: ReadonlyMap<Source, MediaStreamTrack>;
  /**
   * Why the stream may not be watched, for example `token_needed`, `token_void`, `gated` (it needs a wallet that meets the gate),
   * `requirement_missing` (this wallet does not), `banned`, `access_lost`, `access_unknown`, `other_network`, `own_stream` or `replaced`.
   */
  reason: string | null;
  /** The requirements of the gate that the wallet does not meet, with `requirement_missing`. */
  access: AccessResult | null;
  /** Why the stream could not be read. */
  error: ParleyError | null;
}

/** A stream that is being watched. */
export interface WatchedStream {
  readonly state: Observable<PlayerState>;
  /**
   * Plays the stream in an element, in place of the previous one. Never throws.
   * @param element the element
   * @returns a function that releases the element
   */
  show(element: HTMLVideoElement): () => void;
  /** Opens the stream again, after it was refused or could not be read. Never rejects. */
  retry(): Promise<void>;
  /** Stops watching. Never throws. */
  stop(): void;
}
