import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { installed } from '../../harness/run/installed.ts';
import { NetworkNamespace } from '../../harness/nodes/NetworkNamespace.ts';
import { freePorts } from '../../harness/nodes/ports.ts';
import { until } from '../../harness/until.ts';
import { JanusSession } from './JanusSession.ts';

/** The room of the configuration. */
export const janusRoom = 1;

/**
 * Debian's Janus with a temporary configuration. It loads the plugin for rooms (VideoRoom) and the transport for WebSockets, and nothing
 * else. Its ICE is lite, as for a server with a public address, and all other settings are the defaults. It never uses the loopback
 * interface for media, so its media has the address of a network that only this machine can reach. Needs root.
 */
export class Janus {
  readonly #folder: string;
  readonly #port: number;
  readonly #eventLoops: number | null;
  readonly #network = NetworkNamespace.create();
  #child: ChildProcess | null = null;
  #output = '';

  /** @param eventLoops the number of threads that handle media; null for one per peer, which is the default */
  static async start(eventLoops: number | null): Promise<Janus> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-janus-'));
    const janus = new Janus(folder, await freePorts(), eventLoops);
    try {
      await janus.#start();
    } catch (error) {
      await janus.stop();
      throw error;
    }
    return janus;
  }

  private constructor(folder: string, port: number, eventLoops: number | null) {
    this.#eventLoops = eventLoops;
    this.#folder = folder;
    this.#port = port;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** The address of its media, and the one from which peers reach it. */
  get address(): string {
    return this.#network.hostAddress;
  }

  /** Opens a session over a connection of its own, with a handle of VideoRoom. */
  session(): Promise<JanusSession> {
    return JanusSession.open(`ws://127.0.0.1:${this.#port}`);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await this.#network.remove();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const path = (name: string) => join(this.#folder, name);
    await writeFile(path('janus.jcfg'), await this.#configuration());
    await writeFile(
      path('janus.transport.websockets.jcfg'),
      `general: { ws = true, ws_ip = "127.0.0.1", ws_port = ${this.#port}, wss = false }\n`,
    );
    await writeFile(
      path('janus.plugin.videoroom.jcfg'),
      `room-${janusRoom}: { description = "Bench", bitrate = 0, fir_freq = 0 }\n`,
    );
    const child = spawn(installed('janus'), ['--configs-folder', this.#folder], {
      env: { PATH: process.env.PATH, HOME: this.#folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.#output = (this.#output + chunk.toString()).slice(-20_000)));
    const isReady = async () => {
      if (child.exitCode !== null) throw new Error(`Janus did not start:\n${this.#output}`);
      const session = await this.session().catch(() => null);
      session?.close();
      return session !== null;
    };
    await until(isReady, 'Janus answers');
  }

  /** Links the two modules that it loads, and describes where they are. */
  async #configuration(): Promise<string> {
    const modules = await modulesOf(installed('janus'));
    const path = (name: string) => join(this.#folder, name);
    for (const [kind, file] of [
      ['plugins', 'libjanus_videoroom.so'],
      ['transports', 'libjanus_websockets.so'],
    ] as const) {
      await mkdir(path(kind));
      await symlink(join(modules, kind, file), join(path(kind), file));
    }
    return `general: {
  plugins_folder = "${path('plugins')}"
  transports_folder = "${path('transports')}"
  events_folder = "${path('events')}"
  loggers_folder = "${path('loggers')}"
  debug_level = 3
${this.#eventLoops === null ? '' : `  event_loops = ${this.#eventLoops}\n`}}
nat: { ice_lite = true, ice_enforce_list = "${this.address}" }
`;
  }
}

/** The folder with Janus's plugins and transports, in this architecture's folder of libraries. */
async function modulesOf(program: string): Promise<string> {
  const libraries = join(dirname(dirname(program)), 'lib');
  const [found] = (await readdir(libraries)).filter((name) => name.endsWith('-linux-gnu'));
  return join(libraries, found ?? '', 'janus');
}
