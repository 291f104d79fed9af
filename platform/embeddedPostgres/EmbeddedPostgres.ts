import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { serverAccount, type Account } from './account.ts';
import { installBinaries } from './binaries.ts';
import { prepareCluster } from './cluster.ts';
import { ancestors, firstClosed, prepareDataDir, refuseLongSocketPath } from './dataDir.ts';
import { DataDirLock } from './DataDirLock.ts';
import { GuardedServer, type GuardedServerOptions } from './GuardedServer.ts';
import { clearLeftovers } from './leftovers.ts';
import { refuseOtherContainer } from './refuseOtherContainer.ts';

const RESTART_DELAYS_MS = [100, 500, 1_000, 2_000, 5_000];
const SOUND_RUN_MS = 60_000;

export interface EmbeddedPostgresOptions {
  /** DATA_DIR. The cluster and the Unix socket are in its folder postgres. */
  dataDir: string;
  logger: Logger;
  /** Called once when the server keeps dying and is not restarted any more. Not called by close(). */
  onLost: (error: Error) => void;
  /**
   * The pause before each restart in milliseconds. A server that dies again after the last of these restarts, without having run for a
   * minute, is not restarted.
   */
  restartDelaysMs?: number[];
}

/** A PostgreSQL server as a child process. It cannot outlive this process and is restarted when it dies. */
export class EmbeddedPostgres {
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    if (process.platform === 'win32') {
      throw new Error(
        'The embedded PostgreSQL does not run on Windows. Set DATABASE_URL, or run Parley in WSL 2.',
      );
    }
    const dataDir = resolve(options.dataDir);
    const clusterDir = join(dataDir, 'postgres');
    refuseLongSocketPath(clusterDir);
    const account = await serverAccount(clusterDir);
    await prepareDataDir(dataDir, account);
    await refuseOtherContainer(clusterDir);
    const lock = await DataDirLock.acquire(dataDir);
    try {
      const binaries = await installBinaries();
      if (account) await refuseClosedCache(binaries.folder, account);
      await prepareCluster(clusterDir, binaries, account);
      const launching = { postgres: binaries.postgres, clusterDir, account, logger: options.logger };
      const server = await launch(launching);
      options.logger.info({ clusterDir }, 'the embedded PostgreSQL is up');
      return new EmbeddedPostgres(options, launching, lock, server);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** The connection URL. It names a Unix socket and contains no password. */
  readonly url: string;
  readonly #options: Required<EmbeddedPostgresOptions>;
  readonly #launching: GuardedServerOptions;
  readonly #lock: DataDirLock;
  readonly #running: Promise<void>;
  readonly #closing = new AbortController();
  #server: GuardedServer;
  #closed: Promise<void> | undefined;

  private constructor(
    options: EmbeddedPostgresOptions,
    launching: GuardedServerOptions,
    lock: DataDirLock,
    server: GuardedServer,
  ) {
    this.#options = { restartDelaysMs: RESTART_DELAYS_MS, ...options };
    this.#launching = launching;
    this.#lock = lock;
    this.#server = server;
    this.url = `postgresql:///postgres?host=${encodeURIComponent(launching.clusterDir)}&user=postgres&ssl=0`;
    this.#running = this.#keepRunning();
  }

  /** Stops the server (all commits are on disk) and unlocks DATA_DIR. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await this.#server.stop();
    await this.#running;
    // If only the guard was killed, its server still runs.
    await clearLeftovers(this.#launching.clusterDir, this.#options.logger);
    await this.#lock.release();
    this.#options.logger.info('the embedded PostgreSQL is stopped');
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#closing;
    let deaths = 0;
    for (;;) {
      const startedAt = performance.now();
      const reason = await this.#server.exited;
      if (signal.aborted) return;
      if (performance.now() - startedAt > SOUND_RUN_MS) deaths = 0;
      const pauseMs = this.#options.restartDelaysMs[deaths++];
      this.#options.logger.error({ reason, pauseMs }, 'the embedded PostgreSQL is down');
      if (pauseMs === undefined) {
        this.#options.onLost(new Error(`The embedded PostgreSQL keeps dying (${reason}).`));
        return;
      }
      await delay(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await this.#restart();
    }
  }

  /** Starts the server again. If that fails, #server is still the old one, which has ended, so #keepRunning() counts another death. */
  async #restart(): Promise<void> {
    try {
      this.#server = await launch(this.#launching);
      this.#options.logger.info('the embedded PostgreSQL was restarted');
    } catch (error) {
      this.#options.logger.error({ err: error }, 'the embedded PostgreSQL could not be restarted');
    }
    if (this.#closing.signal.aborted) await this.#server.stop();
  }
}

async function launch(options: GuardedServerOptions): Promise<GuardedServer> {
  await clearLeftovers(options.clusterDir, options.logger);
  return GuardedServer.start(options);
}

async function refuseClosedCache(folder: string, account: Account): Promise<void> {
  const closed = await firstClosed([...ancestors(folder), folder], account);
  if (closed === undefined) return;
  throw new Error(
    `PostgreSQL's binaries are in ${folder}, but ${closed} is not accessible to the user it runs as (${account.uid}). ` +
      'Set PARLEY_CACHE_DIR to a folder that all users can reach, such as /var/cache/parley.',
  );
}
