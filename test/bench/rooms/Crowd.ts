import { setTimeout as delay } from 'node:timers/promises';
import { RtpPeer } from './RtpPeer.ts';
import type { Seat } from './Seat.ts';
import { audioPacketMs, heardOf, type Shape } from './shapes.ts';

const tickMs = 2;
const speakerMs = 4_000;

export interface Flow {
  seconds: number;
  /** Packets that should have arrived, by what was sent; and those that did. */
  expected: number;
  arrived: number;
  megabits: number;
  /** Packets of filler. */
  probes: number;
}

/** The people of all rooms of a shape on one server. */
export class Crowd {
  readonly #shape: Shape;
  readonly #rooms: RtpPeer[][];

  /** One after another, as people come; then all of them take what the others send. */
  static async gather(shape: Shape, seatsOf: (shape: Shape) => Promise<Seat[]>): Promise<Crowd> {
    const rooms: RtpPeer[][] = [];
    for (let room = 0; room < shape.rooms; room++) {
      const peers: RtpPeer[] = [];
      const seats = await seatsOf(shape);
      for (const [index, seat] of seats.entries()) {
        const phaseMs = (index / seats.length) * audioPacketMs * 4;
        peers.push(await RtpPeer.enter(seat, phaseMs, shape.layer + 1));
      }
      for (const peer of peers) await peer.receive(shape.layer);
      rooms.push(peers);
    }
    return new Crowd(shape, rooms);
  }

  private constructor(shape: Shape, rooms: RtpPeer[][]) {
    this.#shape = shape;
    this.#rooms = rooms;
  }

  /** Sends for so long, and counts what came in the second part of it, while `measured` looks. */
  async flow(settleMs: number, measureMs: number, onMeasure: () => () => void): Promise<Flow> {
    const begun = performance.now();
    for (const peer of this.#peers) peer.startAt(begun);
    const sending = setInterval(() => this.#tick(performance.now()), tickMs);
    try {
      await delay(settleMs);
      const [before, from, done] = [this.#counts, performance.now(), onMeasure()];
      await delay(measureMs);
      done();
      const [after, seconds] = [this.#counts, (performance.now() - from) / 1_000];
      return {
        seconds,
        expected: after.expected - before.expected,
        arrived: after.arrived - before.arrived,
        probes: after.probes - before.probes,
        megabits: ((after.bytes - before.bytes) * 8) / 1_000_000,
      };
    } finally {
      clearInterval(sending);
    }
  }

  close(): void {
    for (const peer of this.#peers) peer.close();
  }

  get #peers(): RtpPeer[] {
    return this.#rooms.flat();
  }

  #tick(now: number): void {
    const heard = heardOf(this.#shape);
    const speaker = Math.floor(now / speakerMs) % heard;
    for (const room of this.#rooms) {
      for (const [index, peer] of room.entries()) {
        peer.isSpeaking = index === speaker;
        peer.tick(now);
      }
    }
  }

  get #counts(): { expected: number; arrived: number; bytes: number; probes: number } {
    const [heard, others] = [heardOf(this.#shape), this.#shape.people - 1];
    let [expected, arrived, bytes, probes] = [0, 0, 0, 0];
    for (const room of this.#rooms) {
      for (const [index, { sent, arrivals }] of room.entries()) {
        expected += (sent.video + (index < heard ? sent.audio : 0)) * others;
        arrived += arrivals.total.packets;
        bytes += arrivals.total.bytes;
        probes += arrivals.total.probes;
      }
    }
    return { expected, arrived, bytes, probes };
  }
}
