import { receiverReports, transportFeedback, type Arrival } from './rtcp.ts';
import { isRtcp, readRtp } from './rtp.ts';

interface Stream {
  ssrc: number;
  first: number;
  highest: number;
  received: number;
}

const reportMs = 1_000;
/** The SSRC of the padding packets with which mediasoup probes the bandwidth. */
const probationSsrc = 1234;

/** Counts the packets that arrive on one transport, and builds the RTCP feedback that a browser sends. It decodes nothing. */
export class Arrivals {
  readonly #streams = new Map<number, Stream>();
  #packets = 0;
  #bytes = 0;
  #probes = 0;
  readonly #arrivals: Arrival[] = [];
  #lastSequence = 0;
  #lastSendTime = 0;
  #feedbacks = 0;
  #reportedAt = 0;

  /** The numbers so far: media packets, their bytes, and probe packets. */
  get total(): { packets: number; bytes: number; probes: number } {
    return { packets: this.#packets, bytes: this.#bytes, probes: this.#probes };
  }

  /** The number of media streams of which packets have arrived. */
  get streams(): number {
    return this.#streams.size;
  }

  /** What the sequence numbers of all streams say so far: how many packets were sent, and how many of them did not arrive. */
  get losses(): { expected: number; lost: number } {
    let [expected, lost] = [0, 0];
    for (const stream of this.#streams.values()) {
      expected += stream.highest - stream.first + 1;
      lost += Math.max(0, lostOf(stream));
    }
    return { expected, lost };
  }

  take(packet: Buffer): void {
    if (isRtcp(packet)) return;
    const { ssrc, sequence, transportSequence, sendTime } = readRtp(packet);
    if (ssrc === probationSsrc) this.#probes++;
    else this.#countMedia(ssrc, sequence, packet.length);
    if (transportSequence === null || sendTime === null) return;
    this.#lastSequence = unwrap(transportSequence, this.#lastSequence, 16);
    this.#lastSendTime = unwrap(sendTime, this.#lastSendTime, 24);
    // The sending time is reported as the arrival time, because jitter of this machine must not look like low bandwidth.
    const at = (this.#lastSendTime / 2 ** 18) * 1_000;
    this.#arrivals.push({ sequence: this.#lastSequence, at });
  }

  #countMedia(ssrc: number, sequence: number, bytes: number): void {
    this.#packets++;
    this.#bytes += bytes;
    const stream = this.#streams.get(ssrc);
    if (stream) {
      stream.highest = Math.max(stream.highest, unwrap(sequence, stream.highest, 16));
      stream.received++;
    } else this.#streams.set(ssrc, { ssrc, first: sequence, highest: sequence, received: 1 });
  }

  /** Builds the feedback to send now: which packets have arrived, and once per second a report on each stream. */
  reports(now: number, from: number): Buffer[] {
    const packets: Buffer[] = [];
    if (this.#arrivals.length > 0) {
      const arrivals = this.#arrivals.splice(0).sort((one, other) => one.sequence - other.sequence);
      packets.push(transportFeedback(from, this.#feedbacks++, arrivals));
    }
    if (now - this.#reportedAt < reportMs || this.#streams.size === 0) return packets;
    this.#reportedAt = now;
    const streams = [...this.#streams.values()].map((stream) => ({ ...stream, lost: lostOf(stream) }));
    return [...packets, receiverReports(from, streams)];
  }
}

const lostOf = ({ first, highest, received }: Stream) => highest - first + 1 - received;

/** Extends a counter that wraps around after `bits` bits: returns the number nearest to `last` that has these low bits. */
function unwrap(value: number, last: number, bits: number): number {
  const range = 2 ** bits;
  const step = (((value - last) % range) + range) % range;
  return last + (step >= range / 2 ? step - range : step);
}
