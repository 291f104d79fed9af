import { spawn, type ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

interface FfmpegOptions {
  bin: string;
  args: string[];
  /** Options that other users of this machine may not read, each `name=value` on a line: for `-fpre` of up to two outputs, `secretOptions`. */
  secret?: string;
  /** Where it may write. */
  folder?: string;
  /** Told once, with what it said last. */
  onExit: (said: string) => void;
  /** What it has written is more than before. */
  onProgress?: () => void;
}

/** What an output's `-fpre` reads the secret options from. */
export const secretOptions = (output: 0 | 1) => `/dev/fd/${3 + output}`;

const script = fileURLToPath(new URL('runWithParent.sh', import.meta.url));
/** A picture of 4K, a few dozen of them, and its codec. */
const mostMemoryKb = 4 * 1024 * 1024;
const keptCharacters = 2_000;
const stopMs = 1_500;

/** One ffmpeg that runs on until it is stopped. No secret is among its arguments: everybody on this machine can read these. */
export class Ffmpeg {
  readonly #child: ChildProcess;
  #said = '';
  #exited = false;
  readonly exited: Promise<void>;

  constructor({ bin, args, secret, folder, onExit, onProgress }: FfmpegOptions) {
    const shown = ['-hide_banner', '-nostdin', '-v', 'error', '-progress', 'pipe:1', '-stats_period', '0.5'];
    this.#child = spawn('/bin/sh', [script, String(mostMemoryKb), bin, ...shown, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      // A session of its own: Ctrl+C in the terminal ends the server, which ends this when it no longer needs it.
      detached: true,
      ...(folder ? { cwd: folder } : {}),
      env: { PATH: process.env.PATH, SECRET_TEXT: secret },
    });
    const { stdin, stdout, stderr } = this.#child;
    // It may end while it is written to: its exit tells.
    stdin?.on('error', () => undefined);
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-keptCharacters);
    });
    let before = 0;
    stdout?.setEncoding('utf8').on('data', (text: string) => {
      const written = Number(/out_time_us=(\d+)(?![\s\S]*out_time_us=\d)/.exec(text)?.[1] ?? 0);
      if (written > before) onProgress?.();
      before = Math.max(before, written);
    });
    this.exited = new Promise((resolve) => {
      const end = (said: string) => {
        if (this.#exited) return;
        this.#exited = true;
        onExit(said);
        resolve();
      };
      this.#child.once('error', (error) => end(error.message));
      this.#child.once('close', (code, signal) => end(this.#said.trim() || `exit ${signal ?? code}`));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return !this.#exited;
  }

  /** Its standard input. */
  get input(): Writable {
    const { stdin } = this.#child;
    if (!stdin) throw new Error('ffmpeg has a standard input');
    return stdin;
  }

  /** Lets it write what it has, and ends it then. */
  async stop(): Promise<void> {
    if (this.#exited) return;
    this.#child.stdin?.end();
    this.#child.kill('SIGINT');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopMs);
    await this.exited;
    clearTimeout(timer);
  }

  /** At once. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
