import { setTimeout as delay } from 'node:timers/promises';

/** A group of peers that send, receive and count packets. */
export interface Packets {
  /** Starts or resumes sending. Packets that were due during a pause are not sent. */
  begin(now: number): void;
  /** Sends all packets that are due. */
  tick(now: number): void;
  readonly counts: Counts;
}

export interface Counts {
  /** The number of packets that should have arrived, calculated from the packets sent. */
  expected: number;
  arrived: number;
  bytes: number;
  /** The number of mediasoup's bandwidth probes that arrived. */
  probes: number;
}

export interface Flow extends Pick<Counts, 'expected' | 'arrived' | 'probes'> {
  seconds: number;
  megabits: number;
}

const tickMs = 2;
const checkMs = 1_000;

export interface FlowTiming {
  settleMs: number;
  /** The maximum time to settle. mediasoup sends small layers until its probes find enough bandwidth for large ones. */
  settleAtMostMs: number;
  measureMs: number;
}

/** The minimum share of packets that must arrive for a round to count. */
const leastArrived = 0.99;

export const hasArrived = ({ arrived, expected }: Pick<Counts, 'arrived' | 'expected'>): boolean =>
  Math.abs(arrived / expected - 1) <= 1 - leastArrived;

/**
 * Sends until almost all packets arrive or the time to settle is over, and then measures.
 * @param onMeasure called when the measurement starts; returns a function that is called when it ends
 */
export async function flow(
  packets: Packets,
  { settleMs, settleAtMostMs, measureMs }: FlowTiming,
  onMeasure: () => () => void,
): Promise<Flow> {
  const startedAt = performance.now();
  packets.begin(startedAt);
  const sending = setInterval(() => packets.tick(performance.now()), tickMs);
  try {
    await delay(settleMs);
    while (performance.now() - startedAt < settleAtMostMs && !(await arrives(packets)));
    const [before, from, done] = [packets.counts, performance.now(), onMeasure()];
    await delay(measureMs);
    done();
    const [after, seconds] = [packets.counts, (performance.now() - from) / 1_000];
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

/** Waits for a second and returns whether its packets arrived. */
async function arrives(packets: Packets): Promise<boolean> {
  const before = packets.counts;
  await delay(checkMs);
  const after = packets.counts;
  return hasArrived({
    expected: after.expected - before.expected,
    arrived: after.arrived - before.arrived,
  });
}
