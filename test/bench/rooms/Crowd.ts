import type { Counts, Packets } from './flow.ts';
import { RtpPeer } from './RtpPeer.ts';
import type { Seat } from './Seat.ts';
import { audioPacketMs, heardOf, layers, type Shape } from './shapes.ts';

const speakerMs = 4_000;

/** The people of all rooms of a shape on one server. */
export class Crowd implements Packets {
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
        const peer = await RtpPeer.enter(seat, phaseMs, layers);
        peer.sendUpTo(shape.layer);
        peers.push(peer);
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

  begin(now: number): void {
    for (const peer of this.#rooms.flat()) peer.startAt(now);
  }

  tick(now: number): void {
    const heard = heardOf(this.#shape);
    const speaker = Math.floor(now / speakerMs) % heard;
    for (const room of this.#rooms) {
      for (const [index, peer] of room.entries()) {
        peer.isSpeaking = index === speaker;
        peer.tick(now);
      }
    }
  }

  get counts(): Counts {
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

  close(): void {
    for (const peer of this.#rooms.flat()) peer.close();
  }
}
