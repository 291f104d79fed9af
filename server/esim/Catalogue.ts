import type { Logger } from 'pino';
import type { WireEsimPackage } from '../../sdk/protocol/esim.ts';
import type { EsimProvider } from './EsimProvider.ts';

const freshMs = 60 * 60_000;
const retryMs = 60_000;

/**
 * The provider's packages, reloaded when they are older than an hour. If that fails, they are served for another minute, so that requests
 * do not wait for a provider that does not answer. They are cached because prices must be known before credits are reserved.
 */
export class Catalogue {
  readonly #provider: Pick<EsimProvider, 'packages'>;
  readonly #log: Logger;
  #packages = new Map<string, WireEsimPackage>();
  #freshUntil = -Infinity;
  #reading: Promise<void> | null = null;

  constructor(provider: Pick<EsimProvider, 'packages'>, log: Logger) {
    this.#provider = provider;
    this.#log = log;
  }

  /** @throws ParleyError upstream_error if it was never loaded and cannot be loaded now */
  async all(): Promise<WireEsimPackage[]> {
    if (performance.now() > this.#freshUntil) await this.#read();
    return [...this.#packages.values()];
  }

  async find(id: string): Promise<WireEsimPackage | null> {
    await this.all();
    return this.#packages.get(id) ?? null;
  }

  #read(): Promise<void> {
    return (this.#reading ??= this.#fetch().finally(() => (this.#reading = null)));
  }

  async #fetch(): Promise<void> {
    try {
      const packages = await this.#provider.packages();
      this.#packages = new Map(packages.map((each) => [each.id, each]));
      this.#freshUntil = performance.now() + freshMs;
    } catch (error) {
      if (this.#packages.size === 0) throw error;
      // An outdated catalogue is better than none.
      this.#freshUntil = performance.now() + retryMs;
      this.#log.warn({ err: error }, 'reloading the eSIM catalogue failed');
    }
  }
}
