import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { walletPseudonyms } from '../../../platform/logger.ts';
import { copyDatabaseTemplate } from './databaseTemplate.ts';
import { until } from '../until.ts';
import { freePorts } from './ports.ts';
import { countStatements, keepStatements, profilingFlags } from './profiling.ts';

const top = fileURLToPath(new URL('../../..', import.meta.url));
const startLimitMs = 120_000;
/** As in `npm start` and the image: less garbage collection under load, for up to 50 MB more memory. */
export const nodeFlags = ['--max-semi-space-size=32', ...profilingFlags];

export interface Ports {
  port: number;
  /** The first of two media ports. */
  mediaPort: number;
  /** The port for other nodes of the cluster. */
  clusterPort: number;
}

export type Settings = Record<string, string>;

/** A real server in a separate process, as `npm start` runs it after set-up. */
export class ServerProcess {
  readonly url: string;
  readonly dataDir: string;
  readonly ports: Ports;
  readonly #settings: Settings;
  readonly #flags: string[];
  #folder: string;
  #child: ChildProcess | null = null;
  /** Resolves when the process has ended and the last line of its log has arrived. */
  #ended: Promise<unknown> = Promise.resolve();
  #log = '';

  /**
   * @param settings environment variables, or a function that returns them for the chosen ports
   * @param flags command-line options
   */
  static async start(
    settings: Settings | ((ports: Ports) => Settings) = {},
    flags: string[] = [],
  ): Promise<ServerProcess> {
    const server = await ServerProcess.reserve(settings, flags);
    try {
      await server.start();
      if (!server.#settings['DATABASE_URL'] && (await countStatements(server.database))) {
        await server.kill();
        await server.start();
      }
    } catch (error) {
      await server.dispose();
      throw error;
    }
    return server;
  }

  /**
   * Prepares a server without starting it, so that its ports are known beforehand.
   * @param folder a clone in which another release was built, which runs until the server is restarted
   */
  static async reserve(
    settings: Settings | ((ports: Ports) => Settings) = {},
    flags: string[] = [],
    folder = top,
  ): Promise<ServerProcess> {
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
    const first = await freePorts(4);
    const ports = { port: first, clusterPort: first + 1, mediaPort: first + 2 };
    const given = typeof settings === 'function' ? settings(ports) : settings;
    const byDefault = {
      PORT: String(ports.port),
      MEDIA_PORT: String(ports.mediaPort),
      CLUSTER_PORT: String(ports.clusterPort),
      MEDIA_WORKERS: '1',
      RTMP_PORT: '0',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'debug',
      RATE_LIMIT_AUTH: '10000',
      // Non-production defaults, kept even when a test configures fakes of real carriers and providers.
      ...(given.NODE_ENV === 'production' ? {} : { SIGNUP_CREDITS: '500', LEAKSEARCH_FREE_SEARCHES: '10' }),
    };
    const all: Settings = { ...byDefault, ...given };
    if (all.DATA_DIR === dataDir && !all.DATABASE_URL) await copyDatabaseTemplate(dataDir);
    return new ServerProcess(dataDir, ports, all, { flags, folder });
  }

  private constructor(
    dataDir: string,
    ports: Ports,
    settings: Settings,
    { flags, folder }: { flags: string[]; folder: string },
  ) {
    this.dataDir = dataDir;
    this.ports = ports;
    this.url = `http://127.0.0.1:${ports.port}`;
    this.#settings = { ...settings };
    this.#flags = flags;
    this.#folder = folder;
  }

  /** How to connect to its embedded database. */
  get database() {
    return { host: `${this.dataDir}/postgres`, user: 'postgres', database: 'postgres' };
  }

  /** The server's output so far. */
  get log(): string {
    return this.#log;
  }

  /** What the log calls a wallet. Needs a SECRET_KEY in the settings. */
  nameInLog(wallet: string): string {
    return walletPseudonyms(this.#settings['SECRET_KEY'])(wallet);
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  /** The parsed log lines that contain this message. */
  logged(message: string): Record<string, unknown>[] {
    // What follows the last line break is part of a line whose rest has not arrived yet.
    const lines = this.#log.split('\n').slice(0, -1);
    return lines
      .filter((line) => line.startsWith('{') && line.includes(message))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /**
   * Waits for log lines that contain this message, because a server's output may arrive after its answer.
   * @returns all of them, parsed
   */
  async waitForLog(message: string): Promise<Record<string, unknown>[]> {
    await until(() => this.logged(message).length > 0, `'${message}' in the log`);
    return this.logged(message);
  }

  /**
   * Starts the server, or restarts it after stop() or kill() with the same ports and data.
   * @param changes settings to change from now on
   */
  async start(changes: Settings = {}): Promise<void> {
    Object.assign(this.#settings, changes);
    const child = spawn(process.execPath, [...nodeFlags, 'server/dist/main.js', ...this.#flags], {
      cwd: this.#folder,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_ENV: 'test',
        // Media listens on loopback only, without the address for Firefox.
        MEDIA_ANNOUNCED_ADDRESS: '127.0.0.1',
        ...this.#settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('close', resolve));
    this.#folder = top;
    for (const output of [child.stdout, child.stderr])
      output.setEncoding('utf8').on('data', (text: string) => (this.#log += text));
    await this.waitReady();
  }

  /** Waits until `/readyz` succeeds, after a start or when a dependency is available again. */
  async waitReady(): Promise<void> {
    const child = this.#child;
    const deadline = Date.now() + startLimitMs;
    while (!(await this.isReady())) {
      const isRunning = child?.exitCode === null && child.signalCode === null;
      if (!isRunning) await this.#ended;
      if (!isRunning || Date.now() > deadline) throw new Error(`the server is not ready:\n${this.#log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async isReady(): Promise<boolean> {
    return fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
      (response) => response.ok,
      () => false,
    );
  }

  /** Suspends the process with its connections open, as if its machine hung. (Its media workers keep running.) */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Sends SIGTERM and waits for the exit and the last line of the log. @returns the exit code */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  /** Sends SIGKILL and waits for the exit. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Stops it and removes its data. */
  async dispose(): Promise<void> {
    await this.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    this.#child = null;
    if (!child) return null;
    if (signal === 'SIGTERM' && !this.#settings['DATABASE_URL'])
      await keepStatements(this.database, child.pid ?? 0).catch(() => undefined);
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      // A paused process handles SIGTERM only after SIGCONT.
      child.kill('SIGCONT');
    }
    await this.#ended;
    return child.exitCode;
  }
}
