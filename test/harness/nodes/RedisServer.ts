import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient } from 'redis';
import selfsigned from 'selfsigned';
import { installed } from '../run/installed.ts';
import { freePorts } from './ports.ts';

const password = 'of-the-test';

type Settings = Record<string, string>;

interface RedisOptions {
  tls?: boolean;
  settings?: Settings;
}

type Certificate = Awaited<ReturnType<typeof makeCertificate>>;

const makeCertificate = () =>
  selfsigned.generate([{ name: 'commonName', value: 'redis' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });

/** A real Redis on loopback without persistence: a restart empties it. */
export class RedisServer {
  /** For REDIS_URL. It stays the same when the server is stopped and started. */
  readonly url: string;
  /** The certificate of its authority, with TLS. PEM. */
  readonly ca: string | undefined;
  readonly #port: number;
  readonly #folder: string;
  readonly #settings: Settings;
  #child: ChildProcess | null = null;

  /**
   * @param tls whether it accepts only TLS, and asks for a password
   * @param settings as in its configuration file
   */
  static async create({ tls = false, settings = {} }: RedisOptions = {}): Promise<RedisServer> {
    const server = await RedisServer.reserve(tls ? await makeCertificate() : undefined, settings);
    await server.start();
    return server;
  }

  /** Reserves a port without starting Redis. */
  static async reserve(certificate?: Certificate, settings: Settings = {}): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-redis-'));
    if (certificate) {
      await writeFile(join(folder, 'redis.crt'), certificate.cert);
      await writeFile(join(folder, 'redis.key'), certificate.private);
    }
    return new RedisServer(await freePorts(), folder, settings, certificate?.cert);
  }

  private constructor(port: number, folder: string, settings: Settings, ca: string | undefined) {
    this.#port = port;
    this.#folder = folder;
    this.#settings = settings;
    this.ca = ca;
    this.url = ca === undefined ? `redis://127.0.0.1:${port}` : `rediss://:${password}@127.0.0.1:${port}`;
  }

  /** Resolves when it accepts connections. */
  async start(): Promise<void> {
    const security = {
      port: 0,
      'tls-port': this.#port,
      'tls-cert-file': join(this.#folder, 'redis.crt'),
      'tls-key-file': join(this.#folder, 'redis.key'),
      'tls-auth-clients': 'no',
      requirepass: password,
    };
    const settings = {
      ...(this.ca === undefined ? { port: this.#port } : security),
      bind: '127.0.0.1',
      dir: this.#folder,
      save: '',
      appendonly: 'no',
      ...this.#settings,
    };
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

  /** Sends a command, such as `REPLICAOF NO ONE`, by a connection of its own. */
  async command(...words: string[]): Promise<unknown> {
    const client = createClient({ url: this.url });
    // Redis Sentinel closes the connections of clients to a server that it makes a replica.
    client.on('error', () => {});
    await client.connect();
    try {
      return await client.sendCommand(words);
    } finally {
      client.destroy();
    }
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
