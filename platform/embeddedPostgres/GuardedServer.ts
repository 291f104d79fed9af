import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Account } from './account.ts';

/** The environment of the server. It does not inherit Parley's, whose secrets SQL could read through COPY FROM PROGRAM. */
export const serverEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

const READY_LINE = 'database system is ready to accept connections';
/** How long a starting server may be silent. While it recovers, which may take long, it prints its progress every ten seconds. */
const SILENCE_LIMIT_MS = 120_000;
const PROGRESS = /(?:redo in progress|syncing data directory).*/;
const LAST_LINE_LIMIT_MS = 500;
const KEPT_LINES = 20;

const SETTINGS = {
  // The server listens only on the Unix socket in the cluster's folder. That folder is its working directory, so '.' needs no quoting.
  listen_addresses: '',
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  port: '5432',
  max_connections: '60',
  shared_buffers: '64MB',
  // No parallel queries: the media workers need the CPU cores, and Docker provides only 64 MB of /dev/shm.
  max_parallel_workers_per_gather: '0',
  // Statements and error details contain people's phone numbers and messages.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  // Old segments of the log are deleted and not used again, because they contain what was erased: see server/privacy/cleaning.
  wal_recycle: 'off',
};

export interface GuardedServerOptions {
  postgres: string;
  clusterDir: string;
  account: Account | undefined;
  logger: Logger;
  /** Settings besides the usual ones, for benchmarks. */
  settings?: Record<string, string>;
  /** How long a starting server may print nothing, in milliseconds. Default: two minutes. */
  silenceMs?: number;
}

/** One run of the PostgreSQL server under guard.sh, which stops it however this program ends. */
export class GuardedServer {
  /**
   * Resolves when the server accepts connections.
   * @throws Error with its last lines of output if it ends before that, or prints nothing for a long time
   */
  static async start(options: GuardedServerOptions): Promise<GuardedServer> {
    const guard = await readFile(new URL('./guard.sh', import.meta.url), 'utf8');
    const all = { ...SETTINGS, ...options.settings };
    const settings = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(
      '/bin/sh',
      ['-c', guard, 'parley-postgres-guard', options.postgres, '-D', options.clusterDir, ...settings],
      {
        ...options.account,
        cwd: '/',
        env: serverEnvironment,
        stdio: ['pipe', 'ignore', 'pipe'],
        // In its own session, so that Ctrl-C in the terminal does not reach it: the database is closed last.
        detached: true,
      },
    );
    const server = new GuardedServer(child, options.logger);
    await server.#ready(options.silenceMs ?? SILENCE_LIMIT_MS);
    return server;
  }

  /** Resolves with the reason when the server has ended. Never rejects. */
  readonly exited: Promise<string>;
  readonly #child: ChildProcess;
  readonly #logger: Logger;
  readonly #lastLines: string[] = [];
  #announceReady = (): void => {};
  #onLine = (): void => {};

  private constructor(child: ChildProcess, logger: Logger) {
    this.#child = child;
    this.#logger = logger;
    this.exited = exitReason(child);
    if (child.stderr) createInterface(child.stderr).on('line', (line) => this.#read(line));
  }

  /** Closes the guard's standard input, which stops the server. The guard limits the time this takes. */
  async stop(): Promise<void> {
    this.#child.stdin?.destroy();
    await this.exited;
  }

  async #ready(silenceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    this.#onLine = () => timer?.refresh();
    const outcome = await Promise.race([
      new Promise<'ready'>((resolve) => (this.#announceReady = () => resolve('ready'))),
      new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), silenceMs))),
      this.exited,
    ]);
    this.#onLine = () => {};
    clearTimeout(timer);
    if (outcome === 'ready') return;
    await this.stop();
    const reason = outcome === 'late' ? `it printed nothing for ${silenceMs / 1_000} s` : outcome;
    throw new Error(`The embedded PostgreSQL did not start (${reason}):\n${this.#lastLines.join('\n')}`);
  }

  #read(line: string): void {
    if (line.includes(READY_LINE)) this.#announceReady();
    this.#onLine();
    this.#lastLines.push(line);
    if (this.#lastLines.length > KEPT_LINES) this.#lastLines.shift();
    const [, level] = / (PANIC|FATAL|WARNING): /.exec(line) ?? [];
    const [progress] = PROGRESS.exec(line) ?? [];
    if (progress !== undefined) this.#logger.info({ progress }, 'the embedded PostgreSQL recovers');
    else if (level === undefined) this.#logger.debug(line);
    else if (level === 'WARNING') this.#logger.warn(line);
    else this.#logger.error(line);
  }
}

async function exitReason(child: ChildProcess): Promise<string> {
  const lastLineRead = new Promise((resolve) => child.once('close', resolve));
  const reason = await new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit status ${code}`));
  });
  // The wait is limited, because the server keeps the output open if only the guard was killed.
  await Promise.race([lastLineRead, delay(LAST_LINE_LIMIT_MS)]);
  return reason;
}
