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
  /** Whether it does its work by now. */
  isReady: () => Promise<boolean>;
  onLine: (line: string, stream: 'out' | 'err') => void;
  /** It died and is there again, as another process. */
  onRestarted: (service: Service) => void;
  onDied: (service: Service, reason: string) => void;
}

const endWithParent = fileURLToPath(new URL('./endWithParent.sh', import.meta.url));
const readyLimitMs = 60_000;
/** A node waits up to DRAIN_SECONDS (15) until its rooms have moved, and ends its connections after that. */
const stopLimitMs = 35_000;
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
const soundRunMs = 10_000;
const keptLines = 8;

/** A program that is started again when it dies, and does not outlive this one. */
export class Service {
  readonly #options: ServiceOptions;
  readonly #stopping = new AbortController();
  readonly #lastLines: string[] = [];
  #child!: ChildProcess;
  #exited!: Promise<string>;
  #closed!: Promise<unknown>;

  /** Spawns it at once: whoever has a service can stop it, ready or not. */
  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#spawn();
  }

  /** Resolves when it is ready, and starts it again from then on. @throws Error when it ends before that */
  async start(): Promise<void> {
    await this.#ready();
    void this.#keepRunning();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** SIGTERM; what has not ended in time is killed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#child.kill('SIGTERM');
    const ended = await Promise.race([this.#exited, delay(stopLimitMs, null, { ref: false })]);
    if (ended === null) this.#child.kill('SIGKILL');
    await this.#exited;
    // Its last words; whatever it started may hold the output open.
    await Promise.race([this.#closed, delay(500, null, { ref: false })]);
  }

  #spawn(): void {
    const { command, args, cwd, env } = this.#options;
    // A session of its own, so that Ctrl+C in the terminal reaches it in its turn only.
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    createInterface(child.stdout).on('line', (line) => this.#read(line, 'out'));
    createInterface(child.stderr).on('line', (line) => this.#read(line, 'err'));
    const { pid = 0 } = child;
    const guard = pid ? guardOf(pid) : null;
    this.#child = child;
    this.#closed = new Promise((resolve) => child.once('close', resolve));
    this.#exited = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal ?? `exit status ${code}`));
    });
    void this.#exited.then(() => {
      // Otherwise it would end whoever gets the process number next.
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
    const deadline = Date.now() + readyLimitMs;
    while (!(await this.#options.isReady())) {
      if (ended !== undefined) {
        await this.#closed;
        throw new Error([`${name} did not start (${ended}):`, ...this.#lastLines].join('\n    '));
      }
      if (Date.now() > deadline) throw new Error(`${name} is not ready after ${readyLimitMs / 1_000} s`);
      await delay(50);
    }
  }

  /** As a service manager does: at once first, then ever more slowly. */
  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const startedAt = Date.now();
      const reason = await this.#exited;
      if (signal.aborted) return;
      this.#options.onDied(this, reason);
      if (Date.now() - startedAt > soundRunMs) pauseMs = firstPauseMs;
      await delay(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      this.#spawn();
      await this.#ready().then(
        () => !signal.aborted && this.#options.onRestarted(this),
        // Whoever is alive and does not get ready is left to itself; an end is seen above.
        () => {},
      );
    }
  }
}

/** What a program that was killed has started itself. */
function endGroup(leader: number): void {
  // 0 would be this program's own group.
  if (leader === 0) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Nobody is left.
  }
}

function guardOf(pid: number): ChildProcess {
  const guard = spawn('/bin/sh', [endWithParent, String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Only a missing /bin/sh.
  guard.on('error', () => {});
  guard.stdin?.on('error', () => {});
  return guard;
}
