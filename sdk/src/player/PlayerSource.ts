import type { Source } from '../../protocol/media.ts';
import type { LiveStream } from '../types.ts';
import type { Received } from './received.ts';

/** How a player receives a stream: through a client (ClientSource), or without one (OpenSource). */
export interface PlayerSource {
  /** Whether the server can be reached. */
  readonly isConnected: boolean;
  /** Whether the WebRTC connection is established. If it is and no packets arrive, the host has turned the source off. */
  readonly isReached: boolean;
  /** Loads the stream, reports it and opens it. @throws an error if the server refuses */
  open(): Promise<void>;
  /** Starts to receive by WebRTC. Does nothing if the client does so by itself. @throws an error if the server refuses */
  receive(): Promise<void>;
  /** Returns the number of packets received by WebRTC. May reject if there is no connection. */
  received(): Promise<Received>;
  /** The token for the playlist; null if it needs none. */
  token(): Promise<string | null>;
  /** Stops WebRTC. Events continue. */
  stopReceiving(): void;
  /** @param isOver whether the stream has ended, in which case the server has already removed the viewer's state */
  close(isOver?: boolean): void;
}

/** The events of a source. */
export interface SourceEvents {
  stream: (stream: LiveStream) => void;
  viewerCount: (count: number) => void;
  track: (source: Source, track: MediaStreamTrack) => void;
  trackEnded: (source: Source, track: MediaStreamTrack) => void;
  /** The WebRTC connection has failed and will not recover by itself. */
  mediaLost: () => void;
  refused: (reason: string) => void;
}
