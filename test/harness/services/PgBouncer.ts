import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../nodes/ports.ts';
import { installed } from '../run/installed.ts';

/** Debian's PgBouncer before an embedded PostgreSQL. */
export class PgBouncer {
  readonly #port: number;
  readonly #process: ChildProcess;
  readonly #folder: string;

  /** @param socketFolder the folder with the socket of PostgreSQL */
  static async start(
    socketFolder: string,
    mode: 'session' | 'transaction' | 'statement',
  ): Promise<PgBouncer> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-pgbouncer-'));
    await chmod(folder, 0o755);
    const port = await freePorts(1);
    const file = join(folder, 'pgbouncer.ini');
    const lines = [
      '[databases]',
      `* = host=${socketFolder} user=postgres`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
      `auth_type = any\npool_mode = ${mode}\ndefault_pool_size = 40`,
      // As root, PostgreSQL runs as the user postgres, and only that user may enter its folder. PgBouncer refuses to run as root.
      ...(process.getuid?.() === 0 ? ['user = postgres'] : []),
    ];
    await writeFile(file, lines.join('\n'));
    const child = spawn(installed('pgbouncer'), [file], { stdio: ['ignore', 'ignore', 'pipe'] });
    const bouncer = new PgBouncer(port, child, folder);
    await bouncer.#started();
    return bouncer;
  }

  private constructor(port: number, child: ChildProcess, folder: string) {
    this.#port = port;
    this.#process = child;
    this.#folder = folder;
  }

  url(database: string): string {
    return `postgresql://postgres@127.0.0.1:${this.#port}/${database}`;
  }

  async close(): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode === null && signalCode === null) {
      this.#process.kill('SIGKILL');
      await once(this.#process, 'exit');
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #started(): Promise<void> {
    let log = '';
    for await (const chunk of this.#process.stderr!) {
      log += String(chunk);
      if (log.includes('process up')) {
        this.#process.stderr?.resume();
        return;
      }
    }
    throw new Error(`PgBouncer did not start:\n${log}`);
  }
}
