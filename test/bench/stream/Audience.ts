import type { Counts, Packets } from '../rooms/flow.ts';
import { RtpPeer } from '../rooms/RtpPeer.ts';
import type { Seat } from '../rooms/Seat.ts';
import type { StreamSeats } from './seats.ts';
import { picture, type AudienceShape } from './shapes.ts';

/** So many come at the same time. */
const atOnce = 8;
/** Feedback of all goes out within this. */
const spreadMs = 100;

/** A publisher, and those who watch it on one server. */
export class Audience implements Packets {
  readonly #seats: StreamSeats;
  readonly #publisher: RtpPeer;
  readonly #viewers: RtpPeer[] = [];

  static async open(seats: StreamSeats): Promise<Audience> {
    return new Audience(seats, await RtpPeer.enter(seats.publisher, 0, [picture]));
  }

  private constructor(seats: StreamSeats, publisher: RtpPeer) {
    this.#seats = seats;
    this.#publisher = publisher;
  }

  /** Further ones come, until there are so many. */
  async become({ viewers, kbit }: AudienceShape): Promise<void> {
    this.#publisher.sendAt(kbit);
    while (this.#viewers.length < viewers) {
      const missing = Math.min(atOnce, viewers - this.#viewers.length);
      const seats = await Promise.all(Array.from({ length: missing }, () => this.#seats.viewer()));
      this.#viewers.push(...(await Promise.all(seats.map(enter))));
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

  close(): void {
    for (const peer of this.#all) peer.close();
  }

  get #all(): RtpPeer[] {
    return [this.#publisher, ...this.#viewers];
  }
}

async function enter(seat: Seat): Promise<RtpPeer> {
  const viewer = await RtpPeer.enter(seat, Math.random() * spreadMs, []);
  await viewer.receive(0);
  return viewer;
}
