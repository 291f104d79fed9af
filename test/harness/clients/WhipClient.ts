import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installed } from '../run/installed.ts';

const audio =
  'audiotestsrc is-live=true wave=sine ! audioconvert ! audioresample ! queue ! opusenc ! rtpopuspay pt=100 ssrc=1 ! queue ! application/x-rtp,media=audio,encoding-name=OPUS,payload=100';
const video = 'videotestsrc is-live=true pattern=ball ! video/x-raw,width=640,height=360,framerate=15/1';
const videos = {
  VP8: `${video} ! videoconvert ! queue ! vp8enc deadline=1 keyframe-max-dist=15 ! rtpvp8pay pt=96 ssrc=2 ! queue ! application/x-rtp,media=video,encoding-name=VP8,payload=96`,
  H264: `${video} ! videoconvert ! queue ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=15 ! video/x-h264,profile=constrained-baseline ! rtph264pay config-interval=-1 aggregate-mode=zero-latency pt=96 ssrc=2 ! queue ! application/x-rtp,media=video,encoding-name=H264,payload=96`,
};

const stubs = ['add_port', 'get_type', 'remove_port_local', 'thread_new'].map(
  (name) => `void *gupnp_simple_igd_${name}(void) { return 0; }`,
);

/**
 * Debian's simple-whip-client (GStreamer), which publishes a moving ball and a tone.
 *
 * In Debian 12 it exits immediately: it is linked with libsoup 2, while GStreamer's ICE loads libsoup 3 through its UPnP library, and the
 * two cannot be in one process. UPnP is not needed here, so the client gets a UPnP library that does nothing.
 */
export class WhipClients {
  readonly #folder: string;
  readonly #clients: WhipClient[] = [];

  static async create(): Promise<WhipClients> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-whip-'));
    const source = join(folder, 'stub.c');
    await writeFile(source, stubs.join('\n'));
    const target = join(folder, 'libgupnp-igd-1.0.so.4');
    await promisify(execFile)(installed('cc'), ['-shared', '-fPIC', '-nostdlib', '-o', target, source]);
    return new WhipClients(folder);
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** The environment variables that the program needs. */
  get environment(): Record<string, string> {
    return { LD_LIBRARY_PATH: this.#folder, GST_REGISTRY: join(this.#folder, 'registry.bin') };
  }

  publish(url: string, key: string, codec: keyof typeof videos): WhipClient {
    const client = new WhipClient(this.environment, ['-u', url, '-t', key, '-A', audio, '-V', videos[codec]]);
    this.#clients.push(client);
    return client;
  }

  async killAll(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.kill()));
  }

  async close(): Promise<void> {
    await this.killAll();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

export class WhipClient {
  readonly #child: ChildProcess;
  #output = '';

  constructor(environment: Record<string, string>, args: string[]) {
    const env = { ...process.env, ...environment };
    this.#child = spawn(installed('whipClient'), [...args, '-l', '5', '-o'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.#output += chunk.toString()));
  }

  /** The program's output so far. */
  get output(): string {
    return this.#output;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Stops the program as Ctrl+C does: it ends its session. */
  stop(): Promise<void> {
    return this.#end('SIGINT');
  }

  /** Kills the program, as in a crash: it does not end its session. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** Suspends the process with its connections open, as if its network were lost. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5_000);
    await ended;
    clearTimeout(timer);
  }
}
