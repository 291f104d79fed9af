import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface ServiceOptions {
  /** For example `node 1`. */
  name: string;
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Whether the program is ready to serve. */
  isReady: () => Promise<boolean>;
  onLine: (line: string, stream: 'out' | 'err') => void;
  /** Called when the program has died and a new process is ready. */
  onRestarted: (service: Service) => void;
  onDied: (service: Service, reason: string) => void;
}

const endWithParent = fileURLToPath(new URL('./endWithParent.sh', import.meta.url));
const readyLimitMs = 60_000;
/** The maximum time a program may take to stop. A node waits up to DRAIN_SECONDS (15) for its rooms to move, then closes connections. */
const stopLimitMs = 35_000;
const firstPauseMs = 1_000;
const maxPauseMs = 30_000;
/** After a run of at least this length, the pause before a restart is short again. */
const stableRunMs = 10_000;
const keptLines = 8;

/** A program that is restarted when it dies, and that is ended when this program ends. */
export class Service {
  readonly #options: ServiceOptions;
  readonly #stopping = new AbortController();
  readonly #lastLines: string[] = [];
  /** Null if it could not be spawned. */
  #child: ChildProcess | null = null;
  #exited!: Promise<string>;
  #closed!: Promise<unknown>;

  /** Spawns the program immediately, so that it can be stopped before it is ready. If that fails, start() throws the error. */
  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#spawn();
  }

  /**
   * Resolves when the program is ready. From then on, it is restarted whenever it dies.
   * @throws Error if the program ends before it is ready, or is not ready in time
   */
  async start(): Promise<void> {
    await this.#ready();
    this.keepRunning();
  }

  /** Restarts the program from now on whenever it dies, also if it was never ready. */
  keepRunning(): void {
    void this.#keepRunning();
  }

  /** The id of the latest process, which may have ended; 0 if it could not be spawned. Use signal() to send a signal. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Sends a signal to the program. @returns false if it is not running */
  signal(signal: NodeJS.Signals): boolean {
    // Without a process id, the signal could go to this program's own group.
    return this.#child?.pid !== undefined && this.#child.kill(signal);
  }

  /** Sends SIGTERM, and SIGKILL if the program has not ended in time. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.signal('SIGTERM');
    const ended = await Promise.race([this.#exited, delay(stopLimitMs, null, { ref: false })]);
    if (ended === null) this.signal('SIGKILL');
    await this.#exited;
    // Waits for the program's last output, but not for long, because processes that the program started may keep the output open.
    await Promise.race([this.#closed, delay(500, null, { ref: false })]);
  }

  /** Spawns the program. A failure counts as its death. */
  #spawn(): void {
    const { command, args, cwd, env } = this.#options;
    try {
      // The program gets its own session, so that Ctrl+C in the terminal does not reach it: this program stops all programs in order.
      const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
      this.#child = child;
      this.#watch(child);
    } catch (error) {
      // Some failures are events of the child, and others, such as too little memory, are thrown.
      this.#child = null;
      this.#exited = Promise.resolve(error instanceof Error ? error.message : String(error));
      this.#closed = this.#exited;
    }
  }

  #watch(child: ChildProcess): void {
    this.#closed = new Promise((resolve) => child.once('close', resolve));
    this.#exited = new Promise((resolve) => {
      child.on('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal ?? `exit status ${code}`));
    });
    // With too many open files, the child has no streams.
    if (child.stdout) createInterface(child.stdout).on('line', (line) => this.#read(line, 'out'));
    if (child.stderr) createInterface(child.stderr).on('line', (line) => this.#read(line, 'err'));
    const { pid = 0 } = child;
    const guard = pid ? guardOf(pid) : null;
    void this.#exited.then(() => {
      // If the guard kept running, it could later end another process that gets the same id.
      guard?.kill('SIGKILL');
      endGroup(pid);
    });
  }

  #read(line: string, stream: 'out' | 'err'): void {
    this.#lastLines.push(line);
    if (this.#lastLines.length > keptLines) this.#lastLines.shift();
    this.#options.onLine(line, stream);
  }

  async #ready(): Promise<void> {
    let ended: string | undefined;
    void this.#exited.then((reason) => (ended = reason));
    const { name } = this.#options;
    const deadline = performance.now() + readyLimitMs;
    while (!(await this.#options.isReady())) {
      if (ended !== undefined) {
        await this.#closed;
        throw new Error([`${name} did not start (${ended}):`, ...this.#lastLines].join('\n    '));
      }
      if (performance.now() > deadline)
        throw new Error(`${name} is not ready after ${readyLimitMs / 1_000} s`);
      await delay(50);
    }
  }

  /** Restarts the program when it dies, with growing pauses, like a service manager. */
  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      const startedAt = performance.now();
      const reason = await this.#exited;
      if (signal.aborted) return;
      this.#options.onDied(this, reason);
      if (performance.now() - startedAt > stableRunMs) pauseMs = firstPauseMs;
      await delay(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      this.#spawn();
      await this.#ready().then(
        () => !signal.aborted && this.#options.onRestarted(this),
        // A program that runs but does not become ready is left running. If it ends, the loop restarts it.
        () => {},
      );
    }
  }
}

/** Kills the remaining processes that a program has started, after the program itself has ended. */
function endGroup(leader: number): void {
  // 0 means that the program did not start. Passed to kill, it would stand for this program's own group.
  if (leader === 0) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // The group is empty.
  }
}

/**
 * Starts a guard, which ends the process group when this program ends, even if this program is killed. @returns null if it cannot be spawned
 */
function guardOf(pid: number): ChildProcess | null {
  try {
    const guard = spawn('/bin/sh', [endWithParent, String(pid)], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // This happens if there is no /bin/sh, or too many files are open.
    guard.on('error', () => {});
    guard.stdin?.on('error', () => {});
    return guard;
  } catch {
    return null;
  }
}
