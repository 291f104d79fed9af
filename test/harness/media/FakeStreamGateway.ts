import type { MediaCluster } from '../../../media/MediaCluster.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import {
  publisherIdentity,
  type AdmittedViewer,
  type Publisher,
  type StreamGateway,
  type StreamPeer,
  type Watching,
} from '../../../signaling/streaming/StreamGateway.ts';

/**
 * A fake gateway with a single stream and without the stream rules, for tests of WHIP, WHEP, RTMP and HLS. It records the calls to it, and
 * when media of its publisher begins to arrive (`flows`) or stops (`waits`).
 */
export class FakeStreamGateway implements StreamGateway {
  readonly streamId = 'str_test';
  readonly playbackId = 'playback';
  readonly key = 'sk_the-key-that-must-stay-secret';
  readonly token = 'viewer-token';
  readonly calls: string[] = [];
  publisher: Publisher | null = null;
  readonly watchers = new Map<string, Watching>();
  hasEnded = false;
  /** Whether viewers need the token. */
  isGated = true;
  /** Viewers who may not watch. */
  readonly banned = new Set<string>();
  readonly #cluster: MediaCluster;

  constructor(cluster: MediaCluster) {
    this.#cluster = cluster;
    let wasArriving: boolean | null = null;
    const isPublisher = (peerId: string) => this.publisher?.publisherId === peerId;
    // It publishes again.
    cluster.on('peerUpdated', ({ peer: { peerId } }) => {
      if (isPublisher(peerId)) wasArriving = null;
    });
    cluster.on('arriving', ({ peer: { peerId }, isArriving }) => {
      if (!isPublisher(peerId) || isArriving === wasArriving) return;
      wasArriving = isArriving;
      this.calls.push(`${isArriving ? 'flows' : 'waits'} ${peerId}`);
    });
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    this.publisher?.onReplaced();
    this.publisher = null;
    await this.#cluster.closeRoom(this.streamId);
  }

  streamOfKey(key: string): Promise<{ streamId: string; host: string }> {
    if (key === this.key) return Promise.resolve({ streamId: this.streamId, host: 'host' });
    return Promise.reject(new ParleyError('AUTHENTICATION_REQUIRED', 'No stream has this key.'));
  }

  async claim(_streamId: string, publisher: Publisher): Promise<StreamPeer> {
    if (this.hasEnded) throw new ParleyError('CONFLICT', 'This stream has ended.');
    this.publisher?.onReplaced();
    this.publisher = publisher;
    this.calls.push(`claim ${publisher.publisherId}`);
    await this.#cluster.openRoom(this.streamId);
    return { peerId: publisher.publisherId, identity: publisherIdentity, tag: {}, multiparty: true };
  }

  lost(_streamId: string, publisherId: string): Promise<void> {
    if (this.publisher?.publisherId === publisherId) {
      this.publisher = null;
      this.calls.push(`lost ${publisherId}`);
    }
    return Promise.resolve();
  }

  admit(playbackId: string, token: string | null): Promise<AdmittedViewer> {
    if (playbackId !== this.playbackId || this.hasEnded)
      return Promise.reject(new ParleyError('NOT_FOUND', 'There is no such stream, or it has ended.'));
    // A wrong token is refused even for a public stream.
    if ((this.isGated || token !== null) && token !== this.token)
      return Promise.reject(new ParleyError('AUTHENTICATION_REQUIRED', 'A viewer token is required.'));
    return Promise.resolve({ streamId: this.streamId, viewer: 'a viewer', walletAddress: null });
  }

  watching(_streamId: string, viewer: Watching): Promise<StreamPeer> {
    const { watchingId } = viewer;
    if (this.hasEnded) return Promise.reject(new ParleyError('CONFLICT', 'This stream has ended.'));
    if (this.banned.has(viewer.viewer))
      return Promise.reject(new ParleyError('ACCESS_DENIED', 'You may not watch this stream.'));
    this.watchers.set(watchingId, viewer);
    return Promise.resolve({
      peerId: watchingId,
      identity: watchingId,
      tag: {},
      multiparty: true,
      isViewer: true,
    });
  }

  stillWatching(_streamId: string, watchingIds: string[]): Promise<ReadonlySet<string>> {
    const isRecorded = (id: string) => {
      const watching = this.watchers.get(id);
      return !this.hasEnded && watching !== undefined && !this.banned.has(watching.viewer);
    };
    return Promise.resolve(new Set(watchingIds.filter(isRecorded)));
  }

  stoppedWatching(_streamId: string, watchingId: string): Promise<void> {
    this.watchers.delete(watchingId);
    return Promise.resolve();
  }
}
