import type { Counts, Packets } from '../rooms/flow.ts';
import { RtpPeer } from '../rooms/RtpPeer.ts';
import type { BenchParticipant } from '../rooms/BenchParticipant.ts';
import type { StreamParticipants } from './participants.ts';
import { streamVideo, type ViewersShape } from './shapes.ts';

/** The number of viewers that join in parallel. */
const batchSize = 8;
/** The period over which the times at which the viewers send feedback are distributed, in milliseconds. */
const spreadMs = 100;

/** A publisher and its viewers on one server. */
export class BenchViewers implements Packets {
  readonly #participants: StreamParticipants;
  readonly #publisher: RtpPeer;
  readonly #viewers: RtpPeer[] = [];

  static async open(participants: StreamParticipants): Promise<BenchViewers> {
    return new BenchViewers(participants, await RtpPeer.enter(participants.publisher, 0, [streamVideo]));
  }

  private constructor(participants: StreamParticipants, publisher: RtpPeer) {
    this.#participants = participants;
    this.#publisher = publisher;
  }

  /** Sets the bitrate, and adds viewers until there are as many as the shape requires. */
  async growTo({ viewers, kbit }: ViewersShape): Promise<void> {
    this.#publisher.sendAt(kbit);
    while (this.#viewers.length < viewers) {
      const missing = Math.min(batchSize, viewers - this.#viewers.length);
      const entering = await Promise.all(Array.from({ length: missing }, () => this.#participants.viewer()));
      this.#viewers.push(...(await Promise.all(entering.map(enter))));
    }
  }

  begin(now: number): void {
    for (const peer of this.#all) peer.startAt(now);
  }

  tick(now: number): void {
    for (const peer of this.#all) peer.tick(now);
  }

  get counts(): Counts {
    const { audio, video } = this.#publisher.sent;
    const counts = { expected: (audio + video) * this.#viewers.length, arrived: 0, bytes: 0, probes: 0 };
    for (const { arrivals } of this.#viewers) {
      const { packets, bytes, probes } = arrivals.total;
      counts.arrived += packets;
      counts.bytes += bytes;
      counts.probes += probes;
    }
    return counts;
  }

  /** The packets that should have arrived according to their sequence numbers, and those that did not. */
  get losses(): { expected: number; lost: number } {
    let [expected, lost] = [0, 0];
    for (const { arrivals } of this.#viewers) {
      expected += arrivals.losses.expected;
      lost += arrivals.losses.lost;
    }
    return { expected, lost };
  }

  /** The number of packets that each viewer has received. */
  get arrivedByViewer(): number[] {
    return this.#viewers.map(({ arrivals }) => arrivals.total.packets);
  }

  close(): void {
    for (const peer of this.#all) peer.close();
  }

  get #all(): RtpPeer[] {
    return [this.#publisher, ...this.#viewers];
  }
}

async function enter(participant: BenchParticipant): Promise<RtpPeer> {
  const viewer = await RtpPeer.enter(participant, Math.random() * spreadMs, []);
  await viewer.receive(0);
  return viewer;
}
