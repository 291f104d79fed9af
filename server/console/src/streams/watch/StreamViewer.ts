import type { LiveStream, Source } from '@parley/sdk';
import type { Received } from './received.ts';
import type { WatchState } from './watchState.ts';

/** A viewer's connection to a stream: with a wallet (WalletViewer) or as a guest (GuestViewer). */
export interface StreamViewer {
  /** Whether the server is there: while it is not, nothing can come. */
  readonly isConnected: boolean;
  /** Whether WebRTC has a way here: what comes by it is up to the host then. */
  readonly isReached: boolean;
  /** Tells what the stream is, then opens it. @throws whatever refuses */
  open(): Promise<void>;
  /** Begins to receive by WebRTC, where that needs to be begun. @throws whatever refuses */
  receive(): Promise<void>;
  /** How much has come by WebRTC. May reject where there is none. */
  received(): Promise<Received>;
  /** What opens the playlist. */
  token(): Promise<string | null>;
  say(content: string): Promise<void>;
  /** No more of its WebRTC is wanted; the rest goes on. */
  stopReceiving(): void;
  /** @param isOver the stream has ended, and everything of it on the server */
  close(isOver?: boolean): void;
}

/** What a viewer's connection reports. */
export interface ViewerEvents {
  stream: (stream: LiveStream) => void;
  track: (source: Source, track: MediaStreamTrack) => void;
  trackEnded: (source: Source, track: MediaStreamTrack) => void;
  /** WebRTC has failed, and does not come back by itself. */
  mediaLost: () => void;
  refused: (reason: string) => void;
  change: (changes: (state: WatchState) => Partial<WatchState>) => void;
}
