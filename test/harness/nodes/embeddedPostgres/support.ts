import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import { cacheDir } from '../../../../platform/system/cacheDir.mjs';
import { EmbeddedPostgres } from '../../../../platform/embeddedPostgres/EmbeddedPostgres.ts';

export const silent = pino({ level: 'silent' });
export const isRoot = process.getuid?.() === 0;

/** Runs a test's clean-up steps, the latest first, even if the test failed. */
export class CleanUp {
  readonly #steps: (() => unknown)[] = [];

  add(step: () => unknown): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) await step();
  }

  async temporaryFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-database-'));
    this.add(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    return folder;
  }

  async start(dataDir: string, more: { restartDelaysMs?: number[]; onLost?: (error: Error) => void } = {}) {
    const server = await EmbeddedPostgres.start({ dataDir, logger: silent, onLost: () => {}, ...more });
    this.add(() => server.close());
    return server;
  }
}

export async function query(server: { url: string }, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.url });
  // The tests kill the server while the client is connected.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

export async function postmasterPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
}

/** A separate program that runs the embedded PostgreSQL and can be killed. */
export class OtherProgram {
  /** @param asUser a command that runs its arguments as another user */
  static spawn(dataDir: string, cleanUp: CleanUp, asUser: string[] = []): OtherProgram {
    const script = fileURLToPath(new URL('./program.ts', import.meta.url));
    const command = [...asUser, process.execPath, '--import', import.meta.resolve('tsx'), script, dataDir];
    const child = spawn(command[0] ?? '', command.slice(1), {
      stdio: ['ignore', 'pipe', 'inherit'],
      // A separate process group, like the foreground job of a terminal.
      detached: true,
      // A user without a home folder cannot create a cache.
      env: { ...process.env, PARLEY_CACHE_DIR: cacheDir() },
    });
    const program = new OtherProgram(child);
    cleanUp.add(() => program.kill());
    return program;
  }

  readonly child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #exited: Promise<unknown>;

  private constructor(child: ChildProcess) {
    this.child = child;
    this.#exited = once(child, 'exit');
    if (!child.stdout) throw new Error('no output');
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  }

  /** Waits for the next line of its output. @throws if the program ends instead */
  async line(): Promise<string> {
    const next = await this.#lines.next();
    if (next.done) throw new Error('the program ended');
    return next.value;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.#exited;
  }

  async exited(): Promise<number | null> {
    await this.#exited;
    return this.child.exitCode;
  }
}
