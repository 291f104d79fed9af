import type { NewPeer } from '../../media/MediaCluster.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import type { Subnet } from '../../platform/limits/subnets.ts';
import type { PublishedBy, WatchedBy, WireLiveStream } from '../../sdk/protocol/streaming.ts';

/**
 * What the ways in and out of a stream that have no connection of ours ask of its rules: WHIP and RTMP, WHEP and HLS. The SDK's
 * way goes through the same rules, by its requests.
 */
export interface StreamGateway {
  /**
   * Whose key this is: the stream, and the wallet it belongs to.
   * @throws ParleyError AUTHENTICATION_REQUIRED for a key that is nobody's, CONFLICT when its stream has ended
   */
  streamOfKey(key: string): Promise<{ streamId: string; host: string }>;

  /**
   * The newest publisher with the right key wins, at once: whoever published before is no longer heard, and told so by
   * `onReplaced`. The stream's media is open when this returns.
   * @returns what it joins the stream's media as, beside its rtpCapabilities
   * @throws ParleyError CONFLICT when it has ended, SERVICE_UNAVAILABLE
   */
  claim(streamId: string, publisher: Publisher): Promise<StreamPeer>;
  /** Media flows: the stream is live. Nothing happens when another has taken over. */
  flows(streamId: string, publisherId: string): Promise<void>;
  /** The publisher is gone: the stream waits for it, or another, for the reconnect window. Nothing happens when another has taken over. */
  lost(streamId: string, publisherId: string): Promise<void>;

  /**
   * Who may watch a stream, by its public id and what they show for it. To be asked once, when somebody begins to watch: tokens are
   * short-lived, and from then on `watching` says whether they still may.
   * @param playbackId the stream's id
   * @param subnets the networks of whoever asks: guests of one network are counted up to a bound
   * @throws ParleyError NOT_FOUND; CONFLICT when it has ended; AUTHENTICATION_REQUIRED where a token is needed and there is none, or it
   * is void; ACCESS_DENIED; SERVICE_UNAVAILABLE when a gate can't be read
   */
  admit(playbackId: string, token: string | null, subnets: readonly Subnet[]): Promise<AdmittedViewer>;
  /**
   * Somebody watches; the same viewer again on another way is the same viewer. Each way is told of at least every 30 s, or is over.
   * @returns what it joins the stream's media as, if it does: nobody else hears of it there
   * @throws ParleyError ACCESS_DENIED when it may not any more (banned; the gate no longer lets it in), CONFLICT when the stream has ended:
   * then it is to be cut off
   */
  watching(streamId: string, viewer: Watching): Promise<StreamPeer>;
  stoppedWatching(streamId: string, watchingId: string): Promise<void>;
}

/** What is to be seen of a stream from outside. */
export interface StreamWindow {
  /** What anybody may know of it who has its id. @throws ParleyError NOT_FOUND */
  show(playbackId: string): Promise<WireLiveStream>;
}

/** As which somebody is in a stream's media. */
export type StreamPeer = Pick<
  NewPeer,
  'peerId' | 'identity' | 'tag' | 'multiparty' | 'isViewer' | 'maxIncomingBitrate'
>;

/** One publisher's time with a stream: its id is new each time (at most 64 characters). It sends as the media peer of that id. */
export interface Publisher {
  publisherId: string;
  via: PublishedBy;
  /** Called, on this node, when another has taken over, the key was reset, or the stream has ended: stop, and take no more. */
  onReplaced(): void;
}

export interface AdmittedViewer {
  streamId: string;
  /** Who it is, so that one is counted once: a wallet, or what stands for somebody who is not signed in. */
  viewer: string;
  walletAddress: Address | null;
}

/** One way somebody watches, at most 64 characters each. */
export interface Watching {
  watchingId: string;
  viewer: string;
  walletAddress: Address | null;
  via: WatchedBy;
  /** Called, on this node, as soon as it may not watch any more, or the stream has ended. */
  onRemoved?: () => void;
}

/** All publishers of a stream have one seat in its room, so that the newest takes the place of the one before. */
export const publisherIdentity = 'publisher';
