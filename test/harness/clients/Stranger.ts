import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installed } from '../run/installed.ts';
import { NetworkNamespace } from '../nodes/NetworkNamespace.ts';

const folder = fileURLToPath(new URL('../../strangers', import.meta.url));
const endMs = 10_000;

/** The last report of a stranger (test/strangers/README.md). */
export interface StrangerReport {
  state: string;
  /** The HTTP status of its request to the server. */
  status: number;
  /** The codec of the received video, for example video/VP8. */
  codec: string;
  /** Received video frames. */
  frames: number;
  /** Received audio packets or frames. */
  packets: number;
}

export type StrangerPlayer = 'pion' | 'aiortc' | 'webrtcbin' | 'libdatachannel';
export type StrangerPublisher = 'aiortc' | 'webrtcbin' | 'libdatachannel' | 'rtmp2sink';

/** WHIP and WHEP clients with independent protocol stacks, in a network namespace because some of them do not use loopback. */
export class Strangers {
  readonly network: NetworkNamespace;
  readonly #folder: string;
  readonly #running = new Set<Stranger>();

  /** Resolves once pion's player has been compiled, which takes several seconds on a fresh machine. */
  readonly built: Promise<void>;

  static async open(): Promise<Strangers> {
    return new Strangers(await mkdtemp(join(tmpdir(), 'parley-strangers-')));
  }

  private constructor(built: string) {
    this.#folder = built;
    this.network = NetworkNamespace.create();
    this.built = buildPion(built);
    // Callers that await `built` still get the error.
    this.built.catch(() => undefined);
  }

  play(player: StrangerPlayer, url: string): Stranger {
    const command = player === 'pion' ? [join(this.#folder, 'pion')] : [...programs[player](), 'play'];
    return this.#start([...command, url]);
  }

  publish(publisher: StrangerPublisher, codec: string, url: string, key: string): Stranger {
    const last = publisher === 'libdatachannel' ? installed('ffmpeg') : codec;
    return this.#start([...programs[publisher](), 'publish', url, key, last]);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map((stranger) => stranger.stop()));
    await this.network.remove();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #start(command: string[]): Stranger {
    const stranger = new Stranger(this.network.inside(...command));
    this.#running.add(stranger);
    void stranger.ended.then(() => this.#running.delete(stranger));
    return stranger;
  }
}

async function buildPion(target: string): Promise<void> {
  // Outside a GOPATH, Go does not find Debian's packages that have a version in their path.
  const source = join(target, 'src', 'player');
  await cp(join(folder, 'pion'), source, { recursive: true });
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: `${target}:/usr/share/gocode` };
  await promisify(execFile)(installed('go'), ['build', '-o', join(target, 'pion'), '.'], {
    cwd: source,
    env,
  });
}

const programs = {
  aiortc: () => [installed('python'), join(folder, 'aiortcPeer.py')],
  webrtcbin: () => [installed('python'), join(folder, 'webrtcbinPeer.py')],
  rtmp2sink: () => [installed('python'), join(folder, 'rtmpPublisher.py')],
  libdatachannel: () => [process.execPath, join(folder, 'datachannelPeer.mjs')],
};

/** A running stranger. */
export class Stranger {
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  #report: StrangerReport = { state: 'new', status: 0, codec: '', frames: 0, packets: 0 };
  #line = '';
  #errors = '';

  constructor([command = '', ...args]: string[]) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#errors += text));
    this.#child.stdin?.on('error', () => undefined);
    this.ended = once(this.#child, 'exit').then(() => undefined);
  }

  get report(): StrangerReport {
    return this.#report;
  }

  /** The program's output on standard error. */
  get errors(): string {
    return this.#errors;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Tells the program to close its connection and exit. */
  async stop(): Promise<void> {
    if (this.hasEnded) return;
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.kill(), endMs);
    await this.ended;
    clearTimeout(timer);
  }

  /** Kills the program, as in a crash: it does not close its connection. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #read(text: string): void {
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('{')) this.#report = JSON.parse(line) as StrangerReport;
  }
}
