import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { installed } from './installed.ts';
import { freePorts } from './ports.ts';

/** A real Redis on loopback, which keeps nothing on the disk: stopped, it has forgotten everything. */
export class RedisServer {
  /** For REDIS_URL: the same for the server's whole life, through stops and starts. */
  readonly url: string;
  readonly #port: number;
  readonly #folder: string;
  #child: ChildProcess | null = null;

  static async create(): Promise<RedisServer> {
    const server = await RedisServer.reserve();
    await server.start();
    return server;
  }

  /** One that does not run yet. */
  static async reserve(): Promise<RedisServer> {
    return new RedisServer(await freePorts(), await mkdtemp(join(tmpdir(), 'parley-redis-')));
  }

  private constructor(port: number, folder: string) {
    this.#port = port;
    this.#folder = folder;
    this.url = `redis://127.0.0.1:${port}`;
  }

  /** Resolves when it takes connections. */
  async start(): Promise<void> {
    const settings = { port: this.#port, bind: '127.0.0.1', dir: this.#folder, save: '', appendonly: 'no' };
    const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = spawn(installed('redis'), words, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      lines.push(line);
      if (!line.includes('Ready to accept connections')) continue;
      // Nobody reads on, and a full pipe would hold it up.
      child.stdout.resume();
      return;
    }
    throw new Error(`redis-server did not start:\n${lines.join('\n')}`);
  }

  /** Connections stay open and nothing answers, as when its machine hangs. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** SIGKILL, and waits. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** What a crash leaves: the same address, nothing in it. */
  async restartEmpty(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async dispose(): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
