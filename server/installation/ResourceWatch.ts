import { readdir, readFile, statfs } from 'node:fs/promises';
import type { Logger } from 'pino';

export interface ResourceWatchOptions {
  /** DATA_DIR. */
  folder: string;
  /** A warning is logged below this (RECORDING_FREE_MEGABYTES). */
  warnBelowMegabytes: number;
  log: Logger;
  intervalMs?: number;
  /** For tests: what statfs and /proc say. */
  measure?: (folder: string) => Promise<Resources>;
}

export interface Resources {
  /** What is free where DATA_DIR lies, for this user. */
  freeMegabytes: number;
  /** File descriptors in use, and how many this process may have; null where the system does not say. */
  descriptors: { used: number; limit: number } | null;
}

/** With less, PostgreSQL is about to refuse writes. */
const notReadyBelowMegabytes = 64;
const fullShare = 0.9;
/** Below this a server of a few hundred people runs out: each has a socket, and each request to a provider one more. */
const fewDescriptors = 4_096;

/** Warns before the disk or the file descriptors run out: what happens then would not say why. */
export class ResourceWatch {
  readonly #options: ResourceWatchOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #warned = new Set<string>();

  /** Looks once at the limits, then every half minute at what is left. */
  static async start(options: ResourceWatchOptions): Promise<ResourceWatch> {
    const watch = new ResourceWatch(options);
    const { descriptors } = await watch.#look();
    if (descriptors && descriptors.limit < fewDescriptors)
      options.log.warn(
        { limit: descriptors.limit },
        'few file descriptors: each connection takes one; raise the limit (ulimit -n, LimitNOFILE=)',
      );
    return watch;
  }

  private constructor(options: ResourceWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#look().catch((err: unknown) => options.log.warn({ err }, 'resources could not be measured'));
    }, options.intervalMs ?? 30_000).unref();
  }

  /** @throws {Error} when the disk is so full that nothing can be stored safely */
  async check(): Promise<void> {
    const { freeMegabytes } = await this.#measure();
    if (freeMegabytes < notReadyBelowMegabytes)
      throw new Error(`Only ${Math.floor(freeMegabytes)} MB are free where DATA_DIR lies.`);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<Resources> {
    const { warnBelowMegabytes } = this.#options;
    const resources = await this.#measure();
    const { freeMegabytes, descriptors } = resources;
    this.#warn('disk', freeMegabytes < warnBelowMegabytes, { freeMegabytes: Math.floor(freeMegabytes) });
    if (descriptors)
      this.#warn('file descriptors', descriptors.used > descriptors.limit * fullShare, { ...descriptors });
    return resources;
  }

  /** Once, until it is over. */
  #warn(what: string, isShort: boolean, figures: object): void {
    if (isShort && !this.#warned.has(what)) this.#options.log.warn(figures, `running out of ${what}`);
    if (isShort) this.#warned.add(what);
    else this.#warned.delete(what);
  }

  #measure(): Promise<Resources> {
    return (this.#options.measure ?? measureResources)(this.#options.folder);
  }
}

/** As the operating system says; file descriptors on Linux alone. */
export async function measureResources(folder: string): Promise<Resources> {
  const { bavail, bsize } = await statfs(folder);
  return { freeMegabytes: (bavail * bsize) / 2 ** 20, descriptors: await countDescriptors() };
}

async function countDescriptors(): Promise<Resources['descriptors']> {
  try {
    const [open, limits] = await Promise.all([
      readdir('/proc/self/fd'),
      readFile('/proc/self/limits', 'utf8'),
    ]);
    const limit = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
    return { used: open.length, limit };
  } catch {
    return null;
  }
}
