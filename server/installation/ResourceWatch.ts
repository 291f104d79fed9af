import { readdir, readFile, statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import { systemMetrics } from '../../platform/metrics/metrics.ts';

export interface ResourceWatchOptions {
  /** DATA_DIR. */
  folder: string;
  /** FILES_DIR, if it is set. It may be on another disk. */
  filesDir?: string | undefined;
  /** A warning is logged when less disk space than this is free (RECORDING_FREE_MEGABYTES). */
  warnBelowMegabytes: number;
  log: Logger;
  intervalMs?: number;
  /** Replaces the measurement in tests. */
  measure?: (folder: string) => Promise<Resources>;
}

export interface Resources {
  /** The disk space at DATA_DIR that the user of this process may still use. */
  freeMegabytes: number;
  /** File descriptors in use, and the limit of this process; null on systems that do not report them. */
  descriptors: { used: number; limit: number } | null;
}

/** The server is not ready when less disk space than this is free, because PostgreSQL will soon refuse writes. */
const notReadyBelowMegabytes = 64;
const fullShare = 0.9;
/**
 * A warning is logged at the start if the limit on file descriptors is lower than this, which is too low for a few hundred users: each user
 * and each request to a provider needs a socket.
 */
const fewDescriptors = 4_096;

/** Warns before the disk or the file descriptors run out, because the errors that follow do not name the cause. */
export class ResourceWatch {
  readonly #options: ResourceWatchOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #warned = new Set<string>();
  readonly #unwatch: (() => void)[];

  /** Checks the limit on file descriptors once, and the remaining resources now and every half minute. */
  static async start(options: ResourceWatchOptions): Promise<ResourceWatch> {
    const watch = new ResourceWatch(options);
    const { descriptors } = await watch.#check();
    if (descriptors && descriptors.limit < fewDescriptors)
      options.log.warn(
        { limit: descriptors.limit },
        'few file descriptors: each connection needs one, so raise the limit (ulimit -n, LimitNOFILE=)',
      );
    return watch;
  }

  private constructor(options: ResourceWatchOptions) {
    this.#options = options;
    const folders = { DATA_DIR: options.folder, FILES_DIR: options.filesDir };
    // Each by itself: a network folder that hangs does not hide the other one.
    this.#unwatch = Object.entries(folders).flatMap(([folder, path]) =>
      path === undefined
        ? []
        : systemMetrics.diskFree.watch(async () => [
            { labels: { folder }, value: (await this.#measure(path)).freeMegabytes * 2 ** 20 },
          ]),
    );
    let isChecking = false;
    this.#timer = setInterval(() => {
      // A network folder that hangs must not take more than one of the few threads for files.
      if (isChecking) return;
      isChecking = true;
      this.#check()
        .catch((err: unknown) => options.log.warn({ err }, 'measuring disk and file descriptors failed'))
        .finally(() => (isChecking = false));
    }, options.intervalMs ?? 30_000).unref();
  }

  /** @throws {Error} when the disk is so full that nothing can be stored safely */
  async check(): Promise<void> {
    const { freeMegabytes } = await this.#measure();
    if (freeMegabytes < notReadyBelowMegabytes)
      throw new Error(`Only ${Math.floor(freeMegabytes)} MB are free at DATA_DIR. Free disk space.`);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const end of this.#unwatch) end();
  }

  async #check(): Promise<Resources> {
    const { warnBelowMegabytes, filesDir } = this.#options;
    const resources = await this.#measure();
    const { freeMegabytes, descriptors } = resources;
    this.#warn('disk', freeMegabytes < warnBelowMegabytes, { freeMegabytes: Math.floor(freeMegabytes) });
    // Until the first start has created it, it cannot be measured.
    const files = filesDir === undefined ? null : await this.#measure(filesDir).catch(() => null);
    if (files)
      this.#warn('disk at FILES_DIR', files.freeMegabytes < warnBelowMegabytes, {
        freeMegabytes: Math.floor(files.freeMegabytes),
      });
    if (descriptors)
      this.#warn('file descriptors', descriptors.used > descriptors.limit * fullShare, { ...descriptors });
    return resources;
  }

  /** Logs a shortage once, and again only if it passes and returns. */
  #warn(what: string, isShort: boolean, figures: object): void {
    if (isShort && !this.#warned.has(what)) this.#options.log.warn(figures, `running out of ${what}`);
    if (isShort) this.#warned.add(what);
    else this.#warned.delete(what);
  }

  #measure(folder = this.#options.folder): Promise<Resources> {
    return (this.#options.measure ?? measureResources)(folder);
  }
}

/** Measures the free disk space and, on Linux, the file descriptors. */
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
