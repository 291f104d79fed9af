import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { getSystemErrorName } from 'node:util';
import type { Logger } from 'pino';
import { findTool } from '../../platform/system/findTool.mjs';
import { Service } from '../../platform/system/Service.ts';
import { coturnSettings, isOwnAddress, type TurnPlan } from './turnPlan.ts';

interface CoturnOptions {
  plan: TurnPlan;
  dataDir: string;
  /** Each is accepted. */
  secrets: string[];
  log: Logger;
  /** How often the certificate is looked at. @default 10 s */
  certificateMs?: number;
}

/** The maximum number of warnings per hour. */
const mostWarnings = 10;

/** The coturn of TURN=auto: a child process that is restarted when it dies, and that ends with this server, even after kill -9. */
export class Coturn {
  readonly #service: Service;
  readonly #timer: NodeJS.Timeout | undefined;
  /** Addresses on which it could not listen. */
  readonly #unbound = new Set<string>();
  /** The warnings of the current hour. */
  #warnings = 0;
  #hour = 0;
  #closed = false;

  /** @throws Error if coturn is not installed */
  static async start(options: CoturnOptions): Promise<Coturn> {
    const command = findTool('coturn');
    if (!command)
      throw new Error(
        'TURN=auto: coturn is not installed. Run: apt-get install coturn. Or set TURNSERVER_BIN to the path of turnserver.',
      );
    const folder = join(resolve(options.dataDir), 'turn');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, 'turnserver.conf');
    // An earlier file could have other permissions, which writing to it would keep.
    await rm(file, { force: true });
    // The settings are passed in a file, because all users of this machine can read the arguments of a process.
    const lines = coturnSettings(options.plan, { folder, secrets: options.secrets });
    await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
    return new Coturn(command, file, folder, options);
  }

  private constructor(command: string, file: string, folder: string, options: CoturnOptions) {
    const { plan, log, certificateMs = 10_000 } = options;
    this.#service = new Service({
      name: 'coturn',
      command,
      args: ['-c', file],
      // Without the secrets of this server's environment.
      env: { PATH: process.env.PATH },
      cwd: folder,
      isReady: () => listens(plan),
      onLine: (line) => {
        log[this.#levelOf(line)]({ line }, 'coturn');
        this.#lookForPort(line, plan, log);
      },
      onDied: (_service, reason) => log.error({ reason }, 'TURN server died and will be restarted'),
      onRestarted: ({ pid }) => log.info({ pid }, 'TURN server is back'),
    });
    // The server runs without it as well: most clients need no TURN.
    this.#service.start().then(
      () => log.info({ pid: this.#service.pid, urls: plan.urls }, 'TURN server is running'),
      (err: unknown) => {
        if (this.#closed) return;
        log.error({ err }, 'TURN server did not start and will be restarted');
        this.#service.keepRunning();
      },
    );
    if (plan.tls) this.#timer = this.#watch([plan.tls.certificate, plan.tls.key], certificateMs, log);
  }

  get pid(): number {
    return this.#service.pid;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#service.stop();
  }

  /** Errors are warnings, but not those of clients, and not many: clients can forge lines by a user name with a line break. */
  #levelOf(line: string): 'warn' | 'debug' {
    if (!/^\d+: : ERROR: (?!check_stun_auth|A peer IP)/.test(line)) return 'debug';
    const hour = Math.floor(performance.now() / 3_600_000);
    if (hour !== this.#hour) [this.#hour, this.#warnings] = [hour, 0];
    return ++this.#warnings > mostWarnings ? 'debug' : 'warn';
  }

  /**
   * Reports a port that coturn cannot have, once. It goes on without this port and tries again every second, which it calls no error. A
   * client may have forged the line.
   */
  #lookForPort(line: string, { listenIp, port, tls }: TurnPlan, log: Logger): void {
    const pattern = /^\d+: : Trying to bind fd \d+ to <(\[?(\S+?)\]?:(\d+))>: errno=([1-9]\d{0,2})$/;
    const [, address = '', ip = '', at, errno] = pattern.exec(line) ?? [];
    const isOurs = [port, tls?.port].includes(Number(at)) && (ip === listenIp || isOwnAddress(ip));
    if (!isOurs || this.#unbound.has(address)) return;
    this.#unbound.add(address);
    log.error(
      { address, code: getSystemErrorName(-Number(errno)) },
      'TURN server cannot listen: set TURN_PORT and TURN_TLS_PORT to ports that are free and that this user may use, or TURN_HOST to another address',
    );
  }

  /** Has coturn read the certificate again when its files have changed. They are polled, because renewal programs replace links and folders. */
  #watch(files: string[], everyMs: number, log: Logger): NodeJS.Timeout {
    const read = async () =>
      JSON.stringify(await Promise.all(files.map(async (file) => (await stat(file)).mtimeMs)));
    let before: string | null = null;
    const look = async () => {
      const now = await read();
      if (before !== null && now !== before) {
        // A server that is not running reads it when it starts.
        const isRunning = this.#service.signal('SIGUSR2');
        log.info({ isRunning }, 'certificate of TURN has changed');
      }
      before = now;
    };
    // While a renewal replaces the files, one may be missing for a moment.
    const tryLook = () =>
      void look().catch((err: unknown) => log.warn({ err }, 'certificate of TURN not readable'));
    tryLook();
    return setInterval(tryLook, everyMs).unref();
  }
}

function listens({ listenIp, port }: TurnPlan): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, listenIp ?? '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });
}
