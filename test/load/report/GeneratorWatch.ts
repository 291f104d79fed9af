import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { EventLoopDelay } from '../../harness/EventLoopDelay.ts';

/** How the generator itself fared, and whether it was the limit. */
export interface GeneratorReport {
  cores: number;
  /** The average number of cores that it used. */
  cpuCores: number;
  memoryMegabytes: number;
  /** The share of time in which its JavaScript thread was busy, 0 to 1. */
  busyShare: number;
  eventLoopDelayMs: { p50: number; p99: number; max: number };
  /** The share of time by which packets, messages and requests left late, 0 to 1. */
  lateShare: number;
  /** Whether the figures are those of the generator and not of the server. */
  isLimit: boolean;
  /** Why it was the limit. */
  reasons: string[];
}

/** Sending this late counts as behind schedule. Media has 20 ms per packet, and jitter of a busy machine is normal. */
const lateMs = 40;
const bounds = { cpuShare: 0.9, busyShare: 0.9, delayP99Ms: 100, lateShare: 0.05 };

/** Watches the generator's own load: its CPU, its event loop, and whether it sends in time. */
export class GeneratorWatch {
  readonly #delay = new EventLoopDelay();
  readonly #startedAt = performance.now();
  readonly #cpu = process.cpuUsage();
  readonly #utilization = performance.eventLoopUtilization();
  #lateForMs = 0;
  #lateUntil = 0;

  /** Records how far something was behind its schedule, and for how long until now. Time in which several were late counts once. */
  behind(byMs: number, forMs: number): void {
    if (byMs <= lateMs) return;
    const now = performance.now();
    this.#lateForMs += Math.min(forMs, now - this.#lateUntil);
    this.#lateUntil = now;
  }

  get report(): GeneratorReport {
    const elapsedMs = performance.now() - this.#startedAt;
    const { user, system } = process.cpuUsage(this.#cpu);
    const cores = availableParallelism();
    const cpuCores = (user + system) / 1_000 / elapsedMs;
    const busyShare = performance.eventLoopUtilization(this.#utilization).utilization;
    const eventLoopDelayMs = {
      p50: round(this.#delay.percentile(50), 1),
      p99: round(this.#delay.percentile(99), 1),
      max: round(this.#delay.max, 1),
    };
    const lateShare = this.#lateForMs / elapsedMs;
    const reasons = [
      cpuCores > bounds.cpuShare * cores && `it used ${cpuCores.toFixed(1)} of ${cores} cores`,
      busyShare > bounds.busyShare && `its thread was busy ${percent(busyShare)} of the time`,
      eventLoopDelayMs.p99 > bounds.delayP99Ms && `its event loop was ${eventLoopDelayMs.p99} ms late (p99)`,
      lateShare > bounds.lateShare &&
        `it sent more than ${lateMs} ms behind schedule ${percent(lateShare)} of the time`,
    ].filter((reason) => reason !== false);
    return {
      cores,
      cpuCores: round(cpuCores, 2),
      memoryMegabytes: Math.round(process.memoryUsage.rss() / 2 ** 20),
      busyShare: round(busyShare, 3),
      eventLoopDelayMs,
      lateShare: round(lateShare, 3),
      isLimit: reasons.length > 0,
      reasons,
    };
  }

  close(): void {
    this.#delay.stop();
  }
}

const round = (value: number, digits: number) => Number(value.toFixed(digits));
const percent = (share: number) => `${Math.round(share * 100)} %`;
