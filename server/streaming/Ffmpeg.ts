import { spawn, type ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

interface FfmpegOptions {
  bin: string;
  args: string[];
  /**
   * Options that other users of the machine must not read, one `name=value` per line. Up to two outputs read them with `-fpre` and
   * secretOptions().
   */
  secret?: string;
  /** The working folder of ffmpeg, to which it writes its files. */
  folder?: string;
  /** Called once when ffmpeg ends, with its last output. */
  onExit: (output: string) => void;
  /** Called each time ffmpeg reports that its output has advanced. */
  onProgress?: () => void;
}

/** The file from which the `-fpre` of an output reads the secret options. */
export const secretOptions = (output: 0 | 1) => `/dev/fd/${3 + output}`;

const script = fileURLToPath(new URL('runWithParent.sh', import.meta.url));
/** The memory limit of ffmpeg. Enough for a few dozen 4K frames and the codec. */
const maxMemoryKb = 4 * 1024 * 1024;
const keptCharacters = 2_000;
const stopMs = 1_500;

/**
 * One ffmpeg process that runs until it is stopped. Its arguments must not contain secrets, because every user of the machine can read
 * them.
 */
export class Ffmpeg {
  readonly #child: ChildProcess;
  #output = '';
  #exited = false;
  readonly exited: Promise<void>;

  constructor({ bin, args, secret, folder, onExit, onProgress }: FfmpegOptions) {
    const commonArgs = [
      '-hide_banner',
      '-nostdin',
      '-v',
      'error',
      '-progress',
      'pipe:1',
      '-stats_period',
      '0.5',
    ];
    this.#child = spawn('/bin/sh', [script, String(maxMemoryKb), bin, ...commonArgs, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      // In its own session, so that Ctrl+C in a terminal ends only the server. The server ends ffmpeg when it no longer needs it.
      detached: true,
      ...(folder ? { cwd: folder } : {}),
      env: { PATH: process.env.PATH, SECRET_TEXT: secret },
    });
    const { stdin, stdout, stderr } = this.#child;
    // ffmpeg may end during a write. Its exit is reported below.
    stdin?.on('error', () => undefined);
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(-keptCharacters);
    });
    let before = 0;
    stdout?.setEncoding('utf8').on('data', (text: string) => {
      const written = Number(/out_time_us=(\d+)(?![\s\S]*out_time_us=\d)/.exec(text)?.[1] ?? 0);
      if (written > before) onProgress?.();
      before = Math.max(before, written);
    });
    this.exited = new Promise((resolve) => {
      const end = (output: string) => {
        if (this.#exited) return;
        this.#exited = true;
        onExit(output);
        resolve();
      };
      this.#child.once('error', (error) => end(error.message));
      this.#child.once('close', (code, signal) => end(this.#output.trim() || `exit ${signal ?? code}`));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return !this.#exited;
  }

  /** The standard input of ffmpeg. */
  get input(): Writable {
    const { stdin } = this.#child;
    if (!stdin) throw new Error('ffmpeg was started without standard input');
    return stdin;
  }

  /** Lets ffmpeg finish its output, then ends it. */
  async stop(): Promise<void> {
    if (this.#exited) return;
    this.#child.stdin?.end();
    this.#child.kill('SIGINT');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopMs);
    await this.exited;
    clearTimeout(timer);
  }

  /** Ends ffmpeg immediately. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
