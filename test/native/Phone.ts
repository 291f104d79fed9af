import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { NetworkModules } from './NetworkModules.ts';
import { SystemModules } from './SystemModules.ts';
import { WebRtcModule } from './WebRtcModule.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const systems: Partial<Record<NodeJS.Platform, string>> = { linux: 'linux64-bin', darwin: 'osx-bin' };
export const hermes = path(`node_modules/hermes-engine-cli/${systems[process.platform] ?? ''}/hermes`);
/** How many random bytes the app may use. */
const randomCount = 4_096;

interface StepError extends Error {
  code?: string;
}

type FromHermes =
  | { timer: number; ms: number; repeats: boolean }
  | { stopTimer: number }
  | { call: number; module: string; method: string; values: unknown[] }
  | {
      step: number;
      result?: unknown;
      error?: { name: string; code?: string; message: string; stack: string };
    }
  | { log: string; level: number }
  | { uncaught: string };

interface Timer {
  dueAt: number;
  everyMs: number | null;
  handle: NodeJS.Timeout | null;
}

/** The methods of a native module. */
export type Methods = Record<string, (...values: never[]) => unknown>;

/**
 * A phone without a screen: the engine Hermes, in which React Native's own JavaScript runs, with native modules in Node. Hermes has no
 * input or output but its read-eval-print loop, so each line that it reads is a call, and each line that it prints is a message.
 */
export class Phone {
  readonly network: NetworkModules;
  readonly webRtc: WebRtcModule;
  readonly system: SystemModules;
  /** What the app has logged as a warning or error. */
  readonly logged: string[] = [];
  /** Errors that no code has handled. */
  readonly uncaught: string[] = [];
  /** Calls of native modules that have failed. */
  readonly failedCalls: string[] = [];
  readonly #engine: ChildProcess;
  readonly #modules: Record<string, Methods>;
  readonly #steps = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  readonly #timers = new Map<number, Timer>();
  #lastStep = 0;
  #sleptMs = 0;
  #isAsleep = false;
  #isClosed = false;
  /** Calls that arrived while the phone was asleep. */
  #held: object[] = [];

  /** @param bundle the app as Metro has bundled it */
  static async start(bundle: string): Promise<Phone> {
    const phone = new Phone();
    phone.#evaluate(`globalThis.$random = ${JSON.stringify([...randomBytes(randomCount)])};`);
    for (const file of [path('engine/prelude.js'), path('engine/nativeModules.js'), bundle])
      phone.#evaluate(await readFile(file, 'utf8'));
    return phone;
  }

  private constructor() {
    const emit = (name: string, payload: unknown) => this.#call({ type: 'event', name, payload });
    this.network = new NetworkModules(emit);
    this.webRtc = new WebRtcModule(emit);
    this.system = new SystemModules(emit);
    this.#modules = { ...this.system.modules, ...this.network.modules, WebRTCModule: this.webRtc as never };
    this.#engine = spawn(hermes, ['-prompt=', '-prompt2=', '-Xmicrotask-queue'], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.#engine.stdout, this.#engine.stderr])
      createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) => this.#read(line));
  }

  /** Runs a function of the app's `steps`. */
  run<T>(name: string, ...values: unknown[]): Promise<T> {
    const id = ++this.#lastStep;
    return new Promise<T>((resolve, reject) => {
      this.#steps.set(id, { resolve: resolve, reject });
      this.#call({ type: 'step', id, name, values });
    });
  }

  /** Stops the engine, as a phone does some time after an app has gone to the background. */
  sleep(): void {
    this.#isAsleep = true;
    for (const { handle } of this.#timers.values()) if (handle) clearTimeout(handle);
  }

  /** Lets the engine go on, with a clock that says that this time has passed. */
  wake(passedMs: number): void {
    this.#isAsleep = false;
    this.#sleptMs += passedMs;
    this.#write({ type: 'slept', ms: passedMs });
    for (const message of this.#held.splice(0)) this.#write(message);
    for (const [id, timer] of this.#timers) this.#arm(id, timer);
  }

  close(): void {
    this.#isClosed = true;
    this.#engine.kill('SIGKILL');
    for (const { handle } of this.#timers.values()) if (handle) clearTimeout(handle);
    this.network.close();
    this.webRtc.close();
  }

  #now = (): number => Date.now() + this.#sleptMs;

  #evaluate(source: string): void {
    const literal = JSON.stringify(`${source}\n;undefined`).replace(/[\u2028\u2029]/g, (character) =>
      character === '\u2028' ? '\\u2028' : '\\u2029',
    );
    this.#engine.stdin?.write(`(0, eval)(${literal})\n`);
  }

  #call(message: object): void {
    if (this.#isAsleep) this.#held.push(message);
    else this.#write(message);
  }

  #write(message: object): void {
    const literal = JSON.stringify(message).replace(/[\u2028\u2029]/g, (character) =>
      character === '\u2028' ? '\\u2028' : '\\u2029',
    );
    if (!this.#isClosed) this.#engine.stdin?.write(`$fromNode(${literal})\n`);
  }

  #read(line: string): void {
    const at = line.indexOf('\u0001');
    if (at >= 0) return this.#handle(JSON.parse(line.slice(at + 1)) as FromHermes);
    if (line !== 'undefined' && line.trim() !== '') this.uncaught.push(line);
  }

  #handle(message: FromHermes): void {
    if ('timer' in message) this.#addTimer(message);
    else if ('stopTimer' in message) this.#stopTimer(message.stopTimer);
    else if ('call' in message) void this.#carryOut(message);
    else if ('step' in message) this.#settle(message);
    else if ('log' in message) this.#log(message);
    else this.uncaught.push(message.uncaught);
  }

  #log({ log, level }: { log: string; level: number }): void {
    if (level > 0) this.logged.push(log);
  }

  #settle({ step, result, error }: Extract<FromHermes, { step: number }>): void {
    const settled = this.#steps.get(step);
    this.#steps.delete(step);
    if (!error) return settled?.resolve(result as never);
    const thrown: StepError = new Error(error.message);
    Object.assign(thrown, { name: error.name, stack: error.stack, ...(error.code && { code: error.code }) });
    settled?.reject(thrown);
  }

  async #carryOut({ call, module, method, values }: Extract<FromHermes, { call: number }>): Promise<void> {
    try {
      const native = this.#modules[module];
      if (!native?.[method]) throw new Error(`The native module ${module} has no method ${method}.`);
      const result = await native[method](...(values as never[]));
      this.#call({ type: 'answer', id: call, result });
    } catch (cause) {
      const { name, message } = cause as Error;
      this.failedCalls.push(`${module}.${method}: ${message}`);
      this.#call({ type: 'answer', id: call, error: { name, message } });
    }
  }

  #addTimer({ timer: id, ms, repeats }: { timer: number; ms: number; repeats: boolean }): void {
    const timer: Timer = { dueAt: this.#now() + ms, everyMs: repeats ? ms : null, handle: null };
    this.#timers.set(id, timer);
    this.#arm(id, timer);
  }

  #arm(id: number, timer: Timer): void {
    if (this.#isAsleep) return;
    timer.handle = setTimeout(
      () => {
        if (timer.everyMs === null) this.#timers.delete(id);
        else {
          timer.dueAt = this.#now() + timer.everyMs;
          this.#arm(id, timer);
        }
        this.#write({ type: 'timer', id });
      },
      Math.max(0, timer.dueAt - this.#now()),
    );
  }

  #stopTimer(id: number): void {
    const timer = this.#timers.get(id);
    if (timer?.handle) clearTimeout(timer.handle);
    this.#timers.delete(id);
  }
}
