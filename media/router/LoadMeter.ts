import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Logger } from 'pino';
import { every } from '../../platform/every.ts';

/** Reads the processor time each worker has used since it started, in milliseconds. */
export type ReadCpu = () => Promise<Map<number, number>>;

const periodMs = 2_000;
/** Reading the times of all cores takes longer than everything else here, and only reports need them. */
const machineMs = 10_000;

/**
 * The media load of this node, 0 to 1: the highest of its workers' CPU usage, its incoming and its outgoing network traffic, each relative
 * to capacity. Measured over the last two seconds.
 */
export class LoadMeter {
  readonly #readCpu: ReadCpu;
  readonly #bytesPerSecond: number;
  readonly #log: Logger;
  #cpu = new Map<number, number>();
  #network: { received: number; sent: number } | null = null;
  #at = performance.now();
  #load = 0;
  #machine = readMachine();
  #machineAt = performance.now();
  #cpuShare = 0;
  /** The share of a core that each worker uses, by process id. */
  #busy = new Map<number, number>();
  #isMeasuring = false;
  readonly #stop: () => void;

  /** @param networkMbit the network's capacity in each direction, in Mbit/s */
  constructor(readCpu: ReadCpu, networkMbit: number, log: Logger) {
    this.#readCpu = readCpu;
    this.#bytesPerSecond = (networkMbit * 1_000_000) / 8;
    this.#log = log;
    this.#stop = every(periodMs, () => void this.#measure());
  }

  get load(): number {
    return this.#load;
  }

  /** The share of all cores of this machine that is in use, by all programs, 0 to 1. Measured over the last ten seconds. */
  get cpu(): number {
    return this.#cpuShare;
  }

  /** How busy a worker's core is, 0 to 1. */
  busyOf(pid: number): number {
    return this.#busy.get(pid) ?? 0;
  }

  close(): void {
    this.#stop();
  }

  async #measure(): Promise<void> {
    if (this.#isMeasuring) return;
    this.#isMeasuring = true;
    try {
      this.#update(await this.#readCpu());
    } catch (err) {
      this.#log.debug({ err }, 'load could not be measured');
    } finally {
      this.#isMeasuring = false;
    }
  }

  #update(cpu: Map<number, number>): void {
    const network = readNetwork();
    const now = performance.now();
    const seconds = (now - this.#at) / 1_000;
    const shareOf = ([pid, ms]: [number, number]): [number, number] => [
      pid,
      (ms - (this.#cpu.get(pid) ?? ms)) / 1_000 / seconds,
    ];
    this.#busy = new Map([...cpu].map(shareOf));
    const before = this.#network ?? network;
    const share = (bytes: number) => bytes / seconds / this.#bytesPerSecond;
    this.#load = Math.min(
      1,
      Math.max(
        0,
        ...this.#busy.values(),
        share(network.received - before.received),
        share(network.sent - before.sent),
      ),
    );
    this.#cpu = cpu;
    this.#network = network;
    this.#at = now;
    if (now - this.#machineAt < machineMs) return;
    const machine = readMachine();
    const total = machine.total - this.#machine.total;
    if (total > 0) this.#cpuShare = 1 - (machine.idle - this.#machine.idle) / total;
    this.#machine = machine;
    this.#machineAt = now;
  }
}

/** The time that all cores have been running, and the time they were idle, in milliseconds. */
function readMachine(): { total: number; idle: number } {
  const sum = { total: 0, idle: 0 };
  for (const { times } of cpus()) {
    sum.total += Object.values(times).reduce((all, time) => all + time, 0);
    sum.idle += times.idle;
  }
  return sum;
}

/** The total bytes received and sent over all interfaces except loopback; zero without /proc. */
function readNetwork(): { received: number; sent: number } {
  const text = readNetworkDevices();
  const total = { received: 0, sent: 0 };
  for (const line of text.split('\n')) {
    const [, name, numbers] = /^\s*([^:\s]+):\s*(.+)$/.exec(line) ?? [];
    if (!name || !numbers || name === 'lo') continue;
    const columns = numbers.trim().split(/\s+/).map(Number);
    total.received += columns[0] ?? 0;
    total.sent += columns[8] ?? 0;
  }
  return total;
}

/** The kernel answers from memory, so this takes less time than a detour over the thread pool. */
function readNetworkDevices(): string {
  try {
    return readFileSync('/proc/net/dev', 'utf8');
  } catch {
    return '';
  }
}
