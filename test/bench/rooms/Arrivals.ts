import { receiverReports, transportFeedback, type Arrival } from './rtcp.ts';
import { isRtcp, readRtp } from './rtp.ts';

interface Stream {
  ssrc: number;
  first: number;
  highest: number;
  received: number;
}

const reportMs = 1_000;
/** Filler mediasoup sends to find out whether a line carries more. */
const probationSsrc = 1234;

/** What arrives on one line, and what a browser says about it to the server. Nothing is decoded. */
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

  /** Packets of media and their bytes so far, and packets of filler. */
  get total(): { packets: number; bytes: number; probes: number } {
    return { packets: this.#packets, bytes: this.#bytes, probes: this.#probes };
  }

  take(packet: Buffer): void {
    if (isRtcp(packet)) return;
    const { ssrc, sequence, transportSequence, sendTime } = readRtp(packet);
    if (ssrc === probationSsrc) this.#probes++;
    else this.#countMedia(ssrc, sequence, packet.length);
    if (transportSequence === null || sendTime === null) return;
    this.#lastSequence = onwards(transportSequence, this.#lastSequence, 16);
    this.#lastSendTime = onwards(sendTime, this.#lastSendTime, 24);
    // As on a line without jitter: this machine's own must not look like a narrow line.
    const at = (this.#lastSendTime / 2 ** 18) * 1_000;
    this.#arrivals.push({ sequence: this.#lastSequence, at });
  }

  #countMedia(ssrc: number, sequence: number, bytes: number): void {
    this.#packets++;
    this.#bytes += bytes;
    const stream = this.#streams.get(ssrc);
    if (stream) {
      stream.highest = Math.max(stream.highest, onwards(sequence, stream.highest, 16));
      stream.received++;
    } else this.#streams.set(ssrc, { ssrc, first: sequence, highest: sequence, received: 1 });
  }

  /** What is to be sent now: which packets came, and once a second a report of each stream. */
  reports(now: number, from: number): Buffer[] {
    const packets: Buffer[] = [];
    if (this.#arrivals.length > 0) {
      const arrivals = this.#arrivals.splice(0).sort((one, other) => one.sequence - other.sequence);
      packets.push(transportFeedback(from, this.#feedbacks++, arrivals));
    }
    if (now - this.#reportedAt < reportMs || this.#streams.size === 0) return packets;
    this.#reportedAt = now;
    const streams = [...this.#streams.values()].map(({ ssrc, first, highest, received }) => ({
      ssrc,
      highest,
      lost: highest - first + 1 - received,
    }));
    return [...packets, receiverReports(from, streams)];
  }
}

/** A counter of so many bits, counted on from where it was. */
function onwards(value: number, last: number, bits: number): number {
  const range = 2 ** bits;
  const step = (((value - last) % range) + range) % range;
  return last + (step >= range / 2 ? step - range : step);
}
