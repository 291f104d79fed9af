import type { NewPeer } from '../../media/roomOperations.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type { Subnet } from '../../platform/limits/subnets.ts';
import type { PublishedBy, WatchedBy, WireLiveStream, WireStreamChat } from '../../sdk/protocol/streaming.ts';

/**
 * The interface to the stream rules for WHIP, WHEP, RTMP and HLS, which have no Socket.IO connection. The same rules apply to the requests
 * of SDK devices.
 */
export interface StreamGateway {
  /**
   * Finds the stream of a stream key, and its host.
   * @throws ParleyError AUTHENTICATION_REQUIRED for an unknown key, CONFLICT when its stream has ended
   */
  streamOfKey(key: string): Promise<{ streamId: string; host: string }>;

  /**
   * Makes this publisher the stream's publisher. The newest wins immediately: the previous one is cut off and notified by `onReplaced`.
   * The stream's media is open when this returns. The stream is live while packets of the publisher arrive.
   * @returns the peer the publisher joins the stream's media as, except for its rtpCapabilities
   * @throws ParleyError AUTHENTICATION_REQUIRED when the key was reset, CONFLICT when the stream has ended, SERVICE_UNAVAILABLE
   */
  claim(streamId: string, publisher: Publisher): Promise<StreamPeer>;
  /**
   * Call when the publisher is gone. The stream then waits for a publisher until the reconnect window ends. No effect if another publisher
   * has taken over.
   */
  lost(streamId: string, publisherId: string): Promise<void>;

  /**
   * Checks whether a viewer may watch a stream, by its public id and viewer token. Call it once, when the viewer starts: tokens are
   * short-lived, and from then on `watching` checks the viewer.
   * @param playbackId the stream's id
   * @param subnets the viewer's networks, because only a limited number of guests is counted per network
   * @throws ParleyError NOT_FOUND, ACCESS_DENIED, CONFLICT when the stream has ended, AUTHENTICATION_REQUIRED when a token is missing or
   * not valid, or SERVICE_UNAVAILABLE when a gate cannot be read
   */
  admit(playbackId: string, token: string | null, subnets: readonly Subnet[]): Promise<AdmittedViewer>;
  /**
   * Records that a viewer watches. A viewer with several players counts once. Call it or `stillWatching` at least every 30 s for each
   * player, or the player counts as gone.
   * @returns the peer the viewer joins the stream's media as, if it does; other peers are not notified of it
   * @throws ParleyError ACCESS_DENIED if the viewer may no longer watch (banned, or refused by the gate), CONFLICT if the stream has ended,
   * AUTHENTICATION_REQUIRED if a player with a `token` has been away and it no longer opens the stream. In all cases, the player must be
   * cut off.
   */
  watching(streamId: string, viewer: Watching): Promise<StreamPeer>;
  /**
   * Renews the records of players that `watching` has made, all at once.
   * @returns the ids of those that were renewed. Call `watching` for each of the others: it records the player again, or refuses it.
   */
  stillWatching(streamId: string, watchingIds: string[]): Promise<ReadonlySet<string>>;
  stoppedWatching(streamId: string, watchingId: string): Promise<void>;
}

/** What the public may see of a stream. */
export interface StreamWindow {
  /** The stream as anybody with its id may see it. @throws ParleyError NOT_FOUND */
  show(playbackId: string): Promise<WireLiveStream>;
  /**
   * The latest 100 messages of the chat of a public stream without a gate, oldest first. None when the stream has ended.
   * @throws ParleyError NOT_FOUND, ACCESS_DENIED for a private or gated stream
   */
  chat(playbackId: string): Promise<WireStreamChat[]>;
}

/** The part of a media peer that the stream rules decide. */
export type StreamPeer = Pick<
  NewPeer,
  'peerId' | 'identity' | 'revision' | 'tag' | 'multiparty' | 'isViewer' | 'maxIncomingBitrate'
>;

/** One publishing run. Its id is new each time (at most 64 characters) and is also the id of its media peer. */
export interface Publisher {
  publisherId: string;
  /** The stream key. It may have been reset since it was looked up: an RTMP publisher may send its first media seconds later. */
  key: string;
  via: PublishedBy;
  /**
   * Called on this node when another publisher has taken over, the key was reset, or the stream has ended. The publisher must then stop.
   */
  onReplaced(): void;
}

export interface AdmittedViewer {
  streamId: string;
  /** The identity by which a viewer is counted once: a wallet, or a guest's id. */
  viewer: string;
  walletAddress: PartyId | null;
}

/** One player of a viewer. Ids have at most 64 characters. */
export interface Watching {
  watchingId: string;
  viewer: string;
  walletAddress: PartyId | null;
  via: WatchedBy;
  /**
   * The token with which the player was admitted, or null without one, if the player may return long after its admission. It is checked
   * again if the player has been away.
   */
  token?: string | null;
  /** Called on this node as soon as the player may no longer watch, or the stream has ended. */
  onRemoved?: () => void;
}

/** All publishers of a stream share one identity in its media room, so that the newest replaces the previous one. */
export const publisherIdentity = 'publisher';
