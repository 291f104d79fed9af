import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';

type Callback = Parameters<pg.Pool['connect']>[0];

/** PostgreSQL's error code when no connection is left, whether in total, for this user or for this database. */
const tooManyConnections = '53300';
const retryMs = 250;
/** The time after which the pool tries to open more connections again. */
const pauseMs = 5_000;

/**
 * A pool that adapts when PostgreSQL has fewer connections left than the pool may open: requests then wait until a connection of the pool
 * is released. A pool without any connection retries until its connection timeout.
 */
export class PatientPool extends pg.Pool {
  readonly #logger: Logger;
  readonly #limitMs: number;
  readonly #max: number;
  #connected = 0;
  #reopening: NodeJS.Timeout | null = null;

  constructor(config: pg.PoolConfig & { max: number; connectionTimeoutMillis: number }, logger: Logger) {
    super(config);
    this.#logger = logger;
    this.#limitMs = config.connectionTimeoutMillis;
    this.#max = config.max;
    this.on('connect', () => this.#connected++);
    this.on('remove', () => this.#connected--);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: NonNullable<Callback>): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | void {
    const connecting = this.#connect(performance.now() + this.#limitMs);
    if (!callback) return connecting;
    connecting.then(
      (client) => callback(undefined, client, client.release.bind(client)),
      (error: Error) => callback(error, undefined, () => {}),
    );
  }

  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | void {
    const ended = this.#end();
    return callback ? void ended.then(callback, callback) : ended;
  }

  /** The pool's own does not wait until its connections are closed. An embedded server that is stopped then would interrupt them. */
  async #end(): Promise<void> {
    if (this.#reopening) clearTimeout(this.#reopening);
    await super.end();
    while (this.#connected > 0) await new Promise((resolve) => this.once('remove', resolve));
  }

  async #connect(deadline: number): Promise<pg.PoolClient> {
    for (;;) {
      try {
        return await super.connect();
      } catch (error) {
        const isFull = (error as { code?: string }).code === tooManyConnections;
        if (!isFull || performance.now() > deadline || this.ending) throw error;
        this.#shrink();
        // Without an open connection the pool can only retry.
        if (this.#connected === 0) await delay(retryMs);
      }
    }
  }

  /** Limits the pool for some seconds to the connections it has, so that requests wait for one of them. */
  #shrink(): void {
    this.options.max = Math.max(1, this.#connected);
    if (this.#reopening) return;
    this.#logger.warn(
      { open: this.#connected, wanted: this.#max },
      'PostgreSQL has no more connections: requests wait for the open ones. Raise max_connections',
    );
    this.#reopening = setTimeout(() => {
      this.#reopening = null;
      this.options.max = this.#max;
    }, pauseMs).unref();
  }
}
