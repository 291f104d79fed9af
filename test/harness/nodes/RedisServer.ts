import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { installed } from '../run/installed.ts';
import { freePorts } from './ports.ts';

/** A real Redis on loopback without persistence: a restart empties it. */
export class RedisServer {
  /** For REDIS_URL. It stays the same when the server is stopped and started. */
  readonly url: string;
  readonly #port: number;
  readonly #folder: string;
  #child: ChildProcess | null = null;

  static async create(): Promise<RedisServer> {
    const server = await RedisServer.reserve();
    await server.start();
    return server;
  }

  /** Reserves a port without starting Redis. */
  static async reserve(): Promise<RedisServer> {
    return new RedisServer(await freePorts(), await mkdtemp(join(tmpdir(), 'parley-redis-')));
  }

  private constructor(port: number, folder: string) {
    this.#port = port;
    this.#folder = folder;
    this.url = `redis://127.0.0.1:${port}`;
  }

  /** Resolves when it accepts connections. */
  async start(): Promise<void> {
    const settings = { port: this.#port, bind: '127.0.0.1', dir: this.#folder, save: '', appendonly: 'no' };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = spawn(installed('redis'), args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      lines.push(line);
      if (!line.includes('Ready to accept connections')) continue;
      // Discard further output: a full pipe would block Redis.
      child.stdout.resume();
      return;
    }
    throw new Error(`redis-server did not start:\n${lines.join('\n')}`);
  }

  /** Makes Redis stop answering while its connections stay open, as if its machine hung. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Kills Redis (SIGKILL) and waits until it has exited. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Restarts Redis at the same address without its data, as after a crash. */
  async restartEmpty(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async dispose(): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
