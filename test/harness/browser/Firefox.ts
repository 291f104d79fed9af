import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { WebSocket } from 'ws';
import { installed } from '../run/installed.ts';
import { until } from '../until.ts';

const preferences = {
  // A fake camera with a small video and a fake microphone with a tone, granted to every page, as in Chromium (browser.ts).
  'media.navigator.streams.fake': true,
  'media.navigator.permission.disabled': true,
  'media.navigator.video.default_width': 320,
  'media.navigator.video.default_height': 180,
  'media.navigator.video.default_fps': 10,
  'media.autoplay.default': 0,
  // Encode and decode H264 with libavcodec: see `descriptor`.
  'media.navigator.mediadatadecoder_h264_enabled': true,
  'media.webrtc.encoder_creation_strategy': 1,
  // Firefox's JSON viewer may not load anything.
  'devtools.jsonview.enabled': false,
  'dom.ipc.processCount': 1,
  'dom.ipc.processCount.webIsolated': 1,
  // No connections to the internet.
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'media.gmp-manager.updateEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
};

/**
 * Firefox offers H264 only after it has downloaded the OpenH264 module. Tests have no internet, but Firefox checks only the module's
 * description. With this one it offers H264, which libavcodec (installed with ffmpeg) then encodes and decodes.
 */
const descriptor = [
  'Name: libavcodec',
  'Description: H264',
  'Version: 1.0',
  'APIs: encode-video[h264], decode-video[h264]',
];

interface Reply {
  id: number | null;
  type: 'success' | 'error' | 'event';
  result: unknown;
  message?: string;
}

interface Command {
  method: string;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

type Evaluated =
  | { type: 'success'; result: { value: string } }
  | { type: 'exception'; exceptionDetails: { text: string } };

/** Debian's Firefox in headless mode, driven by WebDriver BiDi: Playwright can drive only its own build of Firefox. */
export class Firefox {
  readonly #child: ChildProcess;
  readonly #profile: string;
  readonly #commands = new Map<number, Command>();
  #socket: WebSocket | null = null;
  #lastId = 0;
  /** Resolves when the last tab that was asked for is open, or closed. */
  #lastChange: Promise<unknown> = Promise.resolve();
  #errors = '';

  /** @param origin the origin whose pages are treated as secure, so that they can use cameras without HTTPS */
  static async launch(origin: string): Promise<Firefox> {
    const profile = await mkdtemp(join(tmpdir(), 'parley-firefox-'));
    const module = join(profile, 'gmp-libavcodec', '1.0');
    await mkdir(module, { recursive: true });
    await writeFile(join(module, 'libavcodec.info'), descriptor.join('\n'));
    const all = { ...preferences, 'dom.securecontext.allowlist': new URL(origin).hostname };
    const lines = Object.entries(all).map((entry) => `user_pref(${JSON.stringify(entry).slice(1, -1)});\n`);
    await writeFile(join(profile, 'user.js'), lines.join(''));
    const firefox = new Firefox(profile, module);
    await firefox.#connect().catch(async (error: unknown) => {
      await firefox.close();
      throw error;
    });
    return firefox;
  }

  private constructor(profile: string, module: string) {
    this.#profile = profile;
    const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
    this.#child = spawn(installed('firefox'), args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, HOME: profile, MOZ_GMP_PATH: module, MOZ_CRASHREPORTER_DISABLE: '1' },
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#errors += text));
  }

  async newPage(): Promise<FirefoxPage> {
    const created = await this.#changeTabs('browsingContext.create', { type: 'tab' });
    const { context } = created as { context: string };
    return new FirefoxPage(context, (method, params) =>
      method === 'browsingContext.close' ? this.#changeTabs(method, params) : this.#send(method, params),
    );
  }

  async close(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGKILL');
      await once(this.#child, 'exit');
    }
    this.#socket?.terminate();
    // Firefox's child processes may keep writing to the profile for a moment.
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 10 });
  }

  async #connect(): Promise<void> {
    const [, address] = await until(
      () => /WebDriver BiDi listening on (ws:\S+)/.exec(this.#errors),
      'Firefox listens',
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.#errors.slice(-1_000)}`);
    });
    const socket = new WebSocket(`${address}/session`);
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#take(JSON.parse(data.toString()) as Reply));
    socket.on('close', () => {
      for (const { reject } of this.#commands.values()) reject(new Error('Firefox closed its connection'));
    });
    await once(socket, 'open');
    await this.#send('session.new', { capabilities: {} });
  }

  /**
   * Opens and closes tabs one at a time. Firefox reports a tab as open when the previously selected one is hidden, so opening fails
   * (DiscardedBrowsingContextError) if that one is closed at the same time.
   */
  #changeTabs(method: string, params: object): Promise<unknown> {
    const change = this.#lastChange.then(() => this.#send(method, params));
    this.#lastChange = change.catch(() => undefined);
    return change;
  }

  #send(method: string, params: object): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#commands.set(id, { method, resolve, reject });
      this.#socket?.send(JSON.stringify({ id, method, params }));
    });
  }

  #take({ id, type, result, message }: Reply): void {
    const command = this.#commands.get(id ?? 0);
    if (!command) return;
    this.#commands.delete(id ?? 0);
    if (type === 'success') command.resolve(result);
    else command.reject(new Error(`Firefox: ${command.method}: ${message}`));
  }
}

/** The part of Playwright's `Page` that tests need. */
export class FirefoxPage {
  readonly #context: string;
  readonly #send: (method: string, params: object) => Promise<unknown>;

  constructor(context: string, send: (method: string, params: object) => Promise<unknown>) {
    this.#context = context;
    this.#send = send;
  }

  async goto(url: string): Promise<void> {
    await this.#send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
  }

  readonly evaluate = (async (work: (value: unknown) => unknown, value: unknown = null) => {
    const evaluated = (await this.#send('script.evaluate', {
      expression: `(async () => JSON.stringify((await (${String(work)})(${JSON.stringify(value)})) ?? null))()`,
      target: { context: this.#context },
      awaitPromise: true,
    })) as Evaluated;
    if (evaluated.type === 'exception') throw new Error(evaluated.exceptionDetails.text);
    return JSON.parse(evaluated.result.value) as unknown;
  }) as Page['evaluate'];

  async close(): Promise<void> {
    await this.#send('browsingContext.close', { context: this.#context });
  }
}
