import { ortc } from 'mediasoup';
import { mediaCodecs } from '../../../media/router/codecs.ts';
import type { MediaCluster } from '../../../media/MediaCluster.ts';
import type { RtpCapabilities } from '../../../sdk/protocol/media.ts';
import { RtpPeer } from '../../bench/rooms/RtpPeer.ts';
import { decodable, type BenchParticipant } from '../../bench/rooms/BenchParticipant.ts';
import { ForwardedFrames, type FrameNumbers } from './ForwardedFrames.ts';

const rtpCapabilities = decodable(ortc.generateRouterRtpCapabilities(mediaCodecs) as RtpCapabilities);

/** A viewer that accepts every video it is offered and checks its packets without decoding them. */
export class FrameInspector {
  readonly frames: ForwardedFrames;
  readonly #cluster: MediaCluster;
  readonly #roomId: string;
  readonly #peerId: string;
  readonly #offered: string[] = [];
  #peer!: RtpPeer;
  #ticking!: NodeJS.Timeout;

  /** @param numbers which numbers the frames carry */
  static async open(
    cluster: MediaCluster,
    roomId: string,
    peerId: string,
    numbers: FrameNumbers = {},
  ): Promise<FrameInspector> {
    const inspector = new FrameInspector(cluster, roomId, peerId, numbers);
    await inspector.#enter();
    return inspector;
  }

  private constructor(cluster: MediaCluster, roomId: string, peerId: string, numbers: FrameNumbers) {
    this.frames = new ForwardedFrames(undefined, numbers);
    this.#cluster = cluster;
    this.#roomId = roomId;
    this.#peerId = peerId;
  }

  /** Reports that it shows all videos at this height in pixels; 0 hides them. */
  async setHeight(height: number): Promise<void> {
    const size = { isVisible: height > 0, width: Math.round((height * 16) / 9), height };
    const views = this.#offered.map((consumerId) => ({ consumerId, ...size }));
    await this.#cluster.room(this.#roomId).setViews({ peerId: this.#peerId, views });
  }

  async close(): Promise<void> {
    clearInterval(this.#ticking);
    this.#peer.close();
    await this.#cluster.room(this.#roomId).leave({ peerId: this.#peerId });
  }

  async #enter(): Promise<void> {
    const [cluster, roomId, peerId, offered] = [this.#cluster, this.#roomId, this.#peerId, this.#offered];
    const resume = () => cluster.room(roomId).resumeConsumers({ peerId, consumerIds: offered });
    cluster.on('consumer', ({ roomId: room, to, consumer }) => {
      if (room !== roomId || to.peerId !== peerId) return;
      offered.push(consumer.id);
      void resume();
    });
    const participant: BenchParticipant = {
      async join() {
        const peer = { peerId, identity: peerId, tag: {}, rtpCapabilities, multiparty: true, isViewer: true };
        const joined = await cluster.room(roomId).join(peer);
        offered.push(...joined.consumers.map(({ consumer }) => consumer.id));
        return joined;
      },
      connect: (transportId, { dtlsParameters }) =>
        cluster.room(roomId).connectTransport({ peerId, transportId, dtlsParameters }),
      produce: () => Promise.resolve(),
      receive: resume,
      close: () => undefined,
    };
    const peer = await RtpPeer.enter(participant, 0, [], (packet) => this.frames.take(packet));
    this.#peer = peer;
    peer.startAt(performance.now());
    this.#ticking = setInterval(() => peer.tick(performance.now()), 20);
    await participant.receive(0);
  }
}
