import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { until } from '../harness/until.ts';

/** Memory in MB, measured after a garbage collection. `heap` and `outside` (buffers outside the heap) belong to the server's process. */
export interface Memory {
  rss: number;
  heap: number;
  outside: number;
  /** The RSS of all media workers together. */
  workers: number;
}

/**
 * The maximum growth in MB. With 8 MB of heap, a leak of a kilobyte per input is detected after 10,000 inputs. RSS is less exact, because
 * V8 and the allocator keep pages for some time: 64 MB are about six times its variation between identical runs.
 */
export const allowedGrowth: Memory = { heap: 8, outside: 8, rss: 64, workers: 32 };
const restLimitMs = 90_000;
const readEveryMs = 3_000;
const readsAtRest = 5;
const megabyte = 1024 * 1024;

/** Measures a server's memory after a garbage collection, through Node's inspector. */
export class Gauge {
  readonly #inspector: WebSocket;
  readonly #pid: number;
  #lastId = 0;

  static async open({ log, pid }: Pick<ServerProcess, 'log' | 'pid'>): Promise<Gauge> {
    const [address = ''] = /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/.exec(log) ?? [];
    const inspector = new WebSocket(address);
    await new Promise((resolve, reject) => inspector.once('open', resolve).once('error', reject));
    return new Gauge(inspector, pid);
  }

  private constructor(inspector: WebSocket, pid: number) {
    this.#inspector = inspector;
    this.#pid = pid;
  }

  /**
   * Waits until memory use no longer falls and has not grown too much since `before`, then measures it. Waiting is necessary because the
   * server keeps empty rooms for some time.
   */
  async settle(before?: Memory): Promise<Memory> {
    const deadline = Date.now() + restLimitMs;
    let [least, unchanged] = [await this.read(), 0];
    while (Date.now() < deadline && unchanged < readsAtRest) {
      await delay(readEveryMs);
      const now = await this.read();
      const falls = least.rss - now.rss >= 1 || least.heap - now.heap >= 0.3;
      const isBack = !before || this.growth(before, now) === null;
      unchanged = isBack && !falls ? unchanged + 1 : 0;
      if (falls) least = now;
    }
    return this.read();
  }

  /** @returns a description of the parts that grew more than allowed; null if none did */
  growth(before: Memory, after: Memory): string | null {
    const grown = (Object.keys(allowedGrowth) as (keyof Memory)[]).filter(
      (part) => after[part] - before[part] > allowedGrowth[part],
    );
    if (grown.length === 0) return null;
    return grown
      .map((part) => `${part}: ${before[part].toFixed(1)} → ${after[part].toFixed(1)} MB`)
      .join(', ');
  }

  close(): void {
    this.#inspector.terminate();
  }

  /** Collects garbage, then measures. */
  async read(): Promise<Memory> {
    await this.#ask('HeapProfiler.collectGarbage');
    const { result } = (await this.#ask('Runtime.evaluate', {
      expression: 'const { heapUsed, external } = process.memoryUsage(); [heapUsed, external]',
      returnByValue: true,
      replMode: true,
    })) as { result: { value: [heap: number, external: number] } };
    const [heap, outside] = result.value;
    return {
      heap: heap / megabyte,
      outside: outside / megabyte,
      rss: rssOf(this.#pid),
      workers: workersOf(this.#pid).reduce((sum, pid) => sum + rssOf(pid), 0),
    };
  }

  async #ask(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#lastId;
    let result: unknown;
    const listen = (data: Buffer) => {
      const answer = JSON.parse(data.toString()) as { id?: number; result?: unknown };
      if (answer.id === id) result = answer.result;
    };
    this.#inspector.on('message', listen);
    this.#inspector.send(JSON.stringify({ id, method, params }));
    await until(() => result, `the inspector answers ${method}`).finally(() =>
      this.#inspector.off('message', listen),
    );
    return result;
  }
}

const field = (pid: number | string, name: string) =>
  new RegExp(`^${name}:\\s+(.+)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';

const rssOf = (pid: number) => parseInt(field(pid, 'VmRSS')) / 1024;

const workersOf = (parent: number) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return field(pid, 'PPid') === String(parent) && field(pid, 'Name').startsWith('mediasoup');
      } catch {
        return false;
      }
    })
    .map(Number);
