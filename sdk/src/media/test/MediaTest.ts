import type { IceServers } from '../../../protocol/media.ts';
import type { ResponseOf } from '../../../protocol/wire.ts';
import { ParleyError } from '../../../protocol/errors.ts';
import type { Connection } from '../../connection/Connection.ts';
import { throwIfAborted } from '../../platform/abort.ts';
import { asParleyError } from '../asParleyError.ts';
import { capture, type Sources } from '../capture.ts';
import { noWebRtc, type MediaDevice } from '../device.ts';
import { measureVideo } from './measureVideo.ts';
import type {
  MediaTestCheck,
  MediaTestFigures,
  MediaTestFinding,
  MediaTestOptions,
  MediaTestReport,
} from './mediaTestTypes.ts';
import { probePath } from './probePath.ts';
import { judgeFigures, judgePaths, reportText } from './judge.ts';

export interface MediaTestParts {
  connection: Connection;
  device: MediaDevice;
  sources: Sources;
}

type OpenTest = ResponseOf<'mediaTest.open'>;

/** One run of client.media.test(). */
export class MediaTest {
  readonly #parts: MediaTestParts;
  readonly #options: MediaTestOptions;
  readonly #findings: MediaTestFinding[] = [];

  constructor(parts: MediaTestParts, options: MediaTestOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  async run(): Promise<MediaTestReport> {
    const startedAt = new Date();
    this.#checkContext();
    if (this.#options.devices ?? true) {
      await this.#checkDevice('microphone');
      await this.#checkDevice('camera');
    }
    const test = await this.#open();
    const figures = test ? await this.#tryAndClose(test) : null;
    const findings = this.#findings;
    const worst = (['error', 'warning'] as const).find((one) => findings.some(({ level }) => level === one));
    const level: MediaTestReport['level'] = worst ?? 'ok';
    const report = { startedAt, findings, level, figures };
    return { ...report, text: reportText(report) };
  }

  #start(check: MediaTestCheck): void {
    throwIfAborted(this.#options.signal);
    this.#options.onStart?.(check);
  }

  #found(finding: MediaTestFinding): void {
    throwIfAborted(this.#options.signal);
    this.#findings.push(finding);
    this.#options.onFinding?.(finding);
  }

  #checkContext(): void {
    this.#start('secure-context');
    // Undefined outside browsers.
    const isInsecure = (globalThis as { isSecureContext?: boolean }).isSecureContext === false;
    this.#found(
      isInsecure
        ? {
            check: 'secure-context',
            level: 'error',
            message:
              'This page is not secure, so the browser gives it no camera and microphone. Open it with https.',
          }
        : { check: 'secure-context', level: 'ok', message: 'The page is secure.' },
    );
  }

  async #checkDevice(check: 'microphone' | 'camera'): Promise<void> {
    this.#start(check);
    try {
      const wanted = check === 'microphone' ? { audio: true } : { video: true };
      const tracks = await capture(wanted, this.#parts.sources);
      const name = tracks[0]?.label ? ` (${tracks[0].label})` : '';
      for (const track of tracks) track.stop();
      this.#found({ check, level: 'ok', message: `The ${check} works${name}.` });
    } catch (error) {
      const { code, message } = error as ParleyError;
      const level = check === 'camera' && code === 'NOT_FOUND' ? 'warning' : 'error';
      this.#found({ check, level, message });
    }
  }

  /** @returns null if there is no WebRTC here, or the server does not answer */
  async #open(): Promise<OpenTest | null> {
    const { connection, device } = this.#parts;
    if (!device.isAvailable) {
      this.#start('connection');
      this.#found({ check: 'connection', level: 'error', message: noWebRtc().message });
      return null;
    }
    this.#start('websocket');
    try {
      const { rtpCapabilities } = await connection.welcome();
      const loaded = await asParleyError(() => device.prepare(rtpCapabilities));
      const startedAt = Date.now();
      const test = await connection.request('mediaTest.open', {
        rtpCapabilities: loaded.recvRtpCapabilities as never,
      });
      const message = `The server answers after ${Date.now() - startedAt} ms.`;
      this.#found({ check: 'websocket', level: 'ok', message });
      return test;
    } catch (error) {
      if (!(error instanceof ParleyError && error.code === 'NETWORK_ERROR')) throw error;
      const message =
        'The server does not answer by WebSocket. Check the network; if a proxy or firewall is in between, allow WebSockets to this server.';
      this.#found({ check: 'websocket', level: 'error', message });
      return null;
    }
  }

  async #tryAndClose(test: OpenTest): Promise<MediaTestFigures | null> {
    try {
      return await this.#tryPaths(test);
    } finally {
      await this.#close(test);
    }
  }

  async #tryPaths(test: OpenTest): Promise<MediaTestFigures | null> {
    const { probeTransport, iceServers } = test;
    for (const check of ['udp', 'tcp', 'turn'] as const) this.#start(check);
    const [udp, tcp, relays] = await Promise.all([
      probePath(probeTransport, { protocol: 'udp' }),
      probePath(probeTransport, { protocol: 'tcp' }),
      Promise.all(
        eachUrl(iceServers).map(async (server) => ({
          url: String(server.urls[0]),
          ms: await probePath(probeTransport, { relay: [server] }),
        })),
      ),
    ]);
    for (const finding of judgePaths({ udp, tcp, relays, transport: probeTransport })) this.#found(finding);
    if (udp === null && tcp === null && relays.every(({ ms }) => ms === null)) return null;
    this.#start('connection');
    const { connection, device } = this.#parts;
    const figures = await measureVideo(await device.prepared(), connection, test);
    this.#found(judgeFigures(figures));
    return figures;
  }

  async #close({ testId }: OpenTest): Promise<void> {
    // The server ends the test by itself later.
    await this.#parts.connection.request('mediaTest.close', { testId }).catch(() => undefined);
  }
}

/** Each URL of the servers as a server of its own. */
const eachUrl = (servers: IceServers): IceServers =>
  servers.flatMap(({ urls, ...credentials }) =>
    urls.filter((url) => url.startsWith('turn')).map((url) => ({ urls: [url], ...credentials })),
  );
