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

/** Sends for so long, and counts what came in the second part of it, while `measured` looks. */
export async function flow(
  packets: Packets,
  settleMs: number,
  measureMs: number,
  onMeasure: () => () => void,
): Promise<Flow> {
  packets.begin(performance.now());
  const sending = setInterval(() => packets.tick(performance.now()), tickMs);
  try {
    await delay(settleMs);
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
