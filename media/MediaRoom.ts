import type { types } from 'mediasoup';
import { ParleyError } from '../sdk/protocol/errors.ts';
import type { Source } from '../sdk/protocol/media.ts';
import { mediaCodecs } from './codecs.ts';
import type { JoinedPeer, MediaEvents, NewPeer, NewProducer, PeerInfo, ResumedPeer } from './MediaCluster.ts';
import { MediaPeer, type Sent } from './MediaPeer.ts';
import type { PooledWorker } from './WorkerPool.ts';

export type EmitMediaEvent = <Name extends keyof MediaEvents>(
  event: Name,
  payload: MediaEvents[Name],
) => void;

/**
 * The peers of one room, on one router. What one sends, the others get a paused consumer of.
 *
 * Closing: close() closes the router, and with it every transport, producer and consumer of the room; nobody is told, since
 * whoever closes a room has told its people why.
 */
export class MediaRoom {
  readonly id: string;
  readonly worker: PooledWorker;
  readonly #router: types.Router;
  readonly #peers = new Map<string, MediaPeer>();
  readonly #emit: EmitMediaEvent;
  #closed = false;

  static async create(id: string, worker: PooledWorker, emit: EmitMediaEvent): Promise<MediaRoom> {
    worker.rooms++;
    try {
      const router = await worker.worker.createRouter({ mediaCodecs });
      return new MediaRoom(id, worker, router, emit);
    } catch (error) {
      worker.rooms--;
      throw error;
    }
  }

  private constructor(id: string, worker: PooledWorker, router: types.Router, emit: EmitMediaEvent) {
    this.id = id;
    this.worker = worker;
    this.#router = router;
    this.#emit = emit;
  }

  get peers(): PeerInfo[] {
    return [...this.#peers.values()].map((peer) => peer.info);
  }

  /** Peers whose devices are connected. */
  get connectedPeers(): number {
    return [...this.#peers.values()].filter((peer) => peer.isConnected).length;
  }

  /** @throws ParleyError NOT_FOUND */
  peer(peerId: string): MediaPeer {
    const peer = this.#peers.get(peerId);
    if (!peer) throw new ParleyError('NOT_FOUND', 'This device is not in the room: join it again.');
    return peer;
  }

  async join(newPeer: NewPeer): Promise<JoinedPeer> {
    const peer = await MediaPeer.create(this.#router, this.worker, newPeer, {
      onConsumerClosed: (consumerId) =>
        this.#emit('consumerClosed', { roomId: this.id, to: peer.info, consumerId }),
    });
    if (this.#closed) {
      peer.close();
      throw new ParleyError('NOT_FOUND', 'The room was closed meanwhile.');
    }
    const replaced = [...this.#peers.values()].find(({ seat }) => seat === peer.seat);
    if (replaced) this.leave(replaced.id);
    const others = [...this.#peers.values()];
    // In the room before the first wait: what somebody begins to send from now on finds this peer by itself.
    const already = others.flatMap((other) => other.sent.map((sent) => ({ other, sent })));
    this.#peers.set(peer.id, peer);
    const consumers = await Promise.all(
      already.map(async ({ other, sent }) => ({
        from: other.info,
        consumer: await peer.consume(other, sent),
      })),
    );
    return {
      ...peer.transports,
      replaced: replaced?.info ?? null,
      peers: others.map((other) => other.info),
      consumers: consumers.flatMap(({ from, consumer }) => (consumer ? [{ from, consumer }] : [])),
    };
  }

  resume({ peerId, seat, tag }: Omit<NewPeer, 'rtpCapabilities'>): ResumedPeer {
    const peer = this.peer(peerId);
    if (peer.seat !== seat) throw new ParleyError('NOT_FOUND', 'This place in the room is somebody else’s.');
    peer.tag = { ...peer.tag, ...tag };
    const others = [...this.#peers.values()].filter((other) => other !== peer);
    return {
      peers: others.map((other) => other.info),
      consumers: peer.receiving.map(({ from, info }) => ({ from: from.info, consumer: info })),
    };
  }

  leave(peerId: string): void {
    this.#peers.get(peerId)?.close();
    this.#peers.delete(peerId);
  }

  async produce(peerId: string, newProducer: NewProducer): Promise<{ producerId: string }> {
    const peer = this.peer(peerId);
    const sent = await peer.produce(newProducer);
    this.#emit('peerUpdated', { roomId: this.id, peer: peer.info });
    await Promise.all(
      [...this.#peers.values()]
        .filter((other) => other !== peer)
        .map((other) => this.#offer(sent, peer, other)),
    );
    return { producerId: sent.producer.id };
  }

  closeProducer(peerId: string, source: Source): void {
    const peer = this.peer(peerId);
    if (peer.closeProducer(source)) this.#emit('peerUpdated', { roomId: this.id, peer: peer.info });
  }

  async setPaused(peerId: string, source: Source, paused: boolean): Promise<boolean> {
    const peer = this.peer(peerId);
    const found = await peer.setPaused(source, paused);
    if (found) this.#emit('peerUpdated', { roomId: this.id, peer: peer.info });
    return found;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.worker.rooms--;
    this.#router.close();
    this.#peers.clear();
  }

  async #offer(sent: Sent, from: MediaPeer, to: MediaPeer): Promise<void> {
    const consumer = await to.consume(from, sent);
    if (consumer) this.#emit('consumer', { roomId: this.id, to: to.info, from: from.info, consumer });
  }
}
