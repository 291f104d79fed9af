import type { Counts, Packets } from './flow.ts';
import { RtpPeer } from './RtpPeer.ts';
import type { BenchParticipant } from './BenchParticipant.ts';
import { audioPacketMs, receivedFrom, layers, type Shape } from './shapes.ts';

const speakerMs = 4_000;

/** The participants in all rooms that a shape has on one server. */
export class FullRoom implements Packets {
  readonly #shape: Shape;
  readonly #rooms: RtpPeer[][];

  /** Lets the participants join one after another, and then lets all of them consume what the others send. */
  static async gather(
    shape: Shape,
    participantsOf: (shape: Shape) => Promise<BenchParticipant[]>,
  ): Promise<FullRoom> {
    const rooms: RtpPeer[][] = [];
    for (let room = 0; room < shape.rooms; room++) {
      const peers: RtpPeer[] = [];
      const participants = await participantsOf(shape);
      for (const [index, participant] of participants.entries()) {
        const phaseMs = (index / participants.length) * audioPacketMs * 4;
        const peer = await RtpPeer.enter(participant, phaseMs, layers);
        peer.sendUpTo(shape.layer);
        peers.push(peer);
      }
      for (const peer of peers) await peer.receive(shape.layer);
      rooms.push(peers);
    }
    return new FullRoom(shape, rooms);
  }

  private constructor(shape: Shape, rooms: RtpPeer[][]) {
    this.#shape = shape;
    this.#rooms = rooms;
  }

  begin(now: number): void {
    for (const peer of this.#rooms.flat()) peer.startAt(now);
  }

  tick(now: number): void {
    const speaker = Math.floor(now / speakerMs) % receivedFrom(this.#shape);
    for (const room of this.#rooms) {
      for (const [index, peer] of room.entries()) {
        peer.isSpeaking = index === speaker;
        peer.tick(now);
      }
    }
  }

  get counts(): Counts {
    const [forwarded, others] = [receivedFrom(this.#shape), this.#shape.people - 1];
    let [expected, arrived, bytes, probes] = [0, 0, 0, 0];
    for (const room of this.#rooms) {
      for (const [index, { sent, arrivals }] of room.entries()) {
        expected += (sent.video + (index < forwarded ? sent.audio : 0)) * others;
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
