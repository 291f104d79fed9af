import { setTimeout as delay } from 'node:timers/promises';

/** People who send and receive packets, and count them. */
export interface Packets {
  /** What would have been sent before is not. */
  begin(now: number): void;
  /** Sends what is due. */
  tick(now: number): void;
  readonly counts: Counts;
}

export interface Counts {
  /** Packets that should have arrived, by what was sent; and those that did. */
  expected: number;
  arrived: number;
  bytes: number;
  /** Packets of filler. */
  probes: number;
}

export interface Flow extends Pick<Counts, 'expected' | 'arrived' | 'probes'> {
  seconds: number;
  megabits: number;
}

const tickMs = 2;
const lookMs = 1_000;

export interface FlowTiming {
  settleMs: number;
  /** Lines that are thought to be narrow get small pictures, until it is found out that they carry large ones. */
  settleAtMostMs: number;
  measureMs: number;
}

/** Of the packets, at least this share arrives, or what is measured says nothing. */
const leastArrived = 0.99;

export const hasArrived = ({ arrived, expected }: Pick<Counts, 'arrived' | 'expected'>): boolean =>
  Math.abs(arrived / expected - 1) <= 1 - leastArrived;

/** Sends until all that is sent arrives, and counts what comes after that, while `onMeasure` looks. */
export async function flow(
  packets: Packets,
  { settleMs, settleAtMostMs, measureMs }: FlowTiming,
  onMeasure: () => () => void,
): Promise<Flow> {
  const begun = performance.now();
  packets.begin(begun);
  const sending = setInterval(() => packets.tick(performance.now()), tickMs);
  try {
    await delay(settleMs);
    while (performance.now() - begun < settleAtMostMs && !(await arrives(packets)));
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

/** Whether all of what is sent from now on arrives, for a while. */
async function arrives(packets: Packets): Promise<boolean> {
  const before = packets.counts;
  await delay(lookMs);
  const after = packets.counts;
  return hasArrived({
    expected: after.expected - before.expected,
    arrived: after.arrived - before.arrived,
  });
}
