import type { types } from 'mediasoup';
import type { Logger } from 'pino';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { mediaMetrics } from '../../platform/metrics/metrics.ts';
import { startWorker } from '../worker/startWorker.ts';
import { loudnessMs } from './AudioLevels.ts';
import { killWhenHung } from './killWhenHung.ts';
import { ReportTimes } from './ReportTimes.ts';
import { TrafficMeter } from './TrafficMeter.ts';

export interface WorkerPoolOptions {
  workers: number;
  /**
   * The UDP and TCP port of the first worker; each further worker uses the next port. Or a range, in which each worker takes a free port.
   */
  webRtcPorts: number | types.TransportPortRange;
  /** The address to listen on. */
  listenIp: string;
  /** Returns another address to listen on. It is called for each worker that starts, because the network may have changed. @default none */
  furtherIp?: () => string | null;
  /**
   * The addresses announced to clients, if they differ from `listenIp`: for example a public address in front of a NAT, and the one behind
   * it.
   */
  announcedAddresses: string[];
  /** The mediasoup-worker to run. */
  workerBin: string;
  log: Logger;
}

/** The part of a router that users of the pool need. */
interface OnWorker {
  /** Ends the router after its worker died. */
  die(): void;
  readonly connectedPeers: number;
}

/** One worker process, its WebRtcServer and its load. */
export interface PooledWorker {
  readonly index: number;
  readonly worker: types.Worker;
  readonly webRtcServer: types.WebRtcServer;
  readonly announcedAddresses: string[];
  rooms: number;
  /** The routers on it. */
  readonly routers: Set<OnWorker>;
  /** The loads of all peers of these routers, in consumers of large videos (PeerLoads.ts). */
  load: number;
  /** When its routers report the loudness of their microphones. */
  readonly reportTimes: ReportTimes;
}

/** The maximum wait for a worker while none is running. Replacing a worker takes a fraction of this. */
const waitForWorkerMs = 5_000;
const respawnDelaysMs = [0, 100, 500, 2_000, 5_000];

/**
 * The size of a worker's socket buffers; the kernel may allow less. Its default holds only about 90 video packets, and all peers of a
 * worker share one socket.
 */
const socketBufferBytes = 4 * 1024 * 1024;

/**
 * One mediasoup worker per core, each with one WebRtcServer on its own port. A worker that dies, or hangs and is killed, is replaced on the
 * same port, and the handlers of `onDied` are called.
 *
 * Closing: close() ends every worker, and with it the WebRtcServer, the routers and everything on them.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #workers: (PooledWorker | null)[];
  readonly #diedHandlers: ((worker: PooledWorker) => void)[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #traffic = new TrafficMeter();
  #closed = false;

  static async create(options: WorkerPoolOptions): Promise<WorkerPool> {
    const pool = new WorkerPool(options);
    try {
      await Promise.all(pool.#workers.map((_, index) => pool.#spawn(index)));
    } catch (error) {
      pool.close();
      throw error;
    }
    return pool;
  }

  private constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#workers = Array.from({ length: options.workers }, () => null);
  }

  get living(): PooledWorker[] {
    return this.#workers.filter((worker) => worker !== null);
  }

  /** The process ids of the living workers. */
  get pids(): number[] {
    return this.living.map(({ worker }) => worker.pid);
  }

  get roomsPerWorker(): number[] {
    return this.living.map(({ rooms }) => rooms);
  }

  /** The CPU time that the living workers have used, in milliseconds, by process id. */
  async cpuTimes(): Promise<Map<number, number>> {
    const times = this.living.map(async ({ worker }) => {
      const { ru_utime: user, ru_stime: system } = await worker.getResourceUsage();
      return [worker.pid, user + system] as const;
    });
    return new Map(await Promise.all(times));
  }

  onDied(handler: (worker: PooledWorker) => void): void {
    this.#diedHandlers.push(handler);
  }

  /** Whether any worker is running. */
  get isAlive(): boolean {
    return this.living.length > 0;
  }

  /**
   * The worker with the fewest rooms, where a large room counts as several. Waits if no worker is running.
   * @throws ParleyError SERVICE_UNAVAILABLE when none starts in time
   */
  async leastLoaded(): Promise<PooledWorker> {
    if (!this.isAlive) await this.#someWorker();
    const worker = idlest(this.living);
    if (worker) return worker;
    throw new ParleyError('SERVICE_UNAVAILABLE', 'No media worker is running: try again in a moment.', {
      retryAfter: 1,
    });
  }

  close(): void {
    this.#closed = true;
    this.#traffic.close();
    for (const { worker } of this.living) worker.close();
    this.#workers.fill(null);
  }

  #someWorker(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      setTimeout(resolve, waitForWorkerMs).unref();
    });
  }

  async #spawn(index: number): Promise<void> {
    const { listenIp, furtherIp, announcedAddresses, webRtcPorts, workerBin, log } = this.#options;
    const listen =
      typeof webRtcPorts === 'number' ? { port: webRtcPorts + index } : { portRange: webRtcPorts };
    const worker = await startWorker(workerBin);
    try {
      const [announcedAddress] = announcedAddresses;
      const first = { ip: listenIp, ...(announcedAddress ? { announcedAddress } : {}) };
      const further = furtherIp?.() ?? null;
      const buffers = { sendBufferSize: socketBufferBytes, recvBufferSize: socketBufferBytes };
      const webRtcServer = await worker.createWebRtcServer({
        listenInfos: [first, ...(further ? [{ ip: further }] : [])].flatMap((address) => [
          { protocol: 'udp', ...address, ...listen, ...buffers },
          { protocol: 'tcp', ...address, ...listen, ...buffers },
        ]),
      });
      const pooled: PooledWorker = {
        index,
        worker,
        webRtcServer,
        announcedAddresses,
        rooms: 0,
        routers: new Set(),
        load: 0,
        reportTimes: new ReportTimes(loudnessMs),
      };
      if (this.#closed) return worker.close();
      this.#traffic.watch(worker);
      this.#workers[index] = pooled;
      for (const resolve of this.#waiting.splice(0)) resolve();
      worker.on('died', (error) => this.#replace(pooled, error));
      killWhenHung(worker, log);
      log.info({ worker: index, pid: worker.pid, ...listen }, 'media worker started');
    } catch (error) {
      worker.close();
      throw explained(error, listenIp, listen) ?? error;
    }
  }

  #replace(dead: PooledWorker, error: Error): void {
    if (this.#closed) return;
    mediaMetrics.workerDeaths.inc();
    this.#options.log.error({ worker: dead.index, pid: dead.worker.pid, err: error }, 'media worker died');
    this.#workers[dead.index] = null;
    for (const handler of this.#diedHandlers) handler(dead);
    void this.#respawn(dead.index);
  }

  /** Starts a worker again, and retries until it succeeds. The other workers continue in the meantime. */
  async #respawn(index: number): Promise<void> {
    for (let attempt = 0; !this.#closed; attempt++) {
      const delayMs = respawnDelaysMs[Math.min(attempt, respawnDelaysMs.length - 1)] ?? 0;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      try {
        if (!this.#closed) await this.#spawn(index);
        return;
      } catch (err) {
        this.#options.log.error({ worker: index, attempt, err }, 'media worker could not be replaced');
      }
    }
  }
}

/** The load that weighs as much as one small room. */
const loadPerRoom = 4;

/** The worker with the fewest rooms, where a large room counts as several. Undefined without workers. */
export function idlest<Worker extends Pick<PooledWorker, 'rooms' | 'load'>>(
  workers: readonly Worker[],
): Worker | undefined {
  const weight = ({ rooms, load }: Worker) => Math.max(rooms, load / loadPerRoom);
  const [first, ...others] = workers;
  return first && others.reduce((best, each) => (weight(each) < weight(best) ? each : best), first);
}

/** @returns an error that says what the operator can change; null for other errors */
function explained(cause: unknown, ip: string, { port }: { port?: number }): Error | null {
  if (!(cause instanceof Error)) return null;
  if (/address not available/i.test(cause.message))
    return new Error(`${ip} is not an address of this machine: set HOST to one that is.`, { cause });
  if (port && /permission denied/i.test(cause.message))
    return new Error(
      `This user may not use port ${port}. Set MEDIA_PORT to a port from 1024, or give the server the right (in systemd: AmbientCapabilities=CAP_NET_BIND_SERVICE).`,
      { cause },
    );
  if (!port || !/address already in use/i.test(cause.message)) return null;
  return new Error(`Port ${port} (UDP or TCP) is in use: end what uses it, or set MEDIA_PORT to another.`, {
    cause,
  });
}
