import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { freePorts } from '../nodes/ports.ts';
import { killProcess } from '../nodes/killProcess.ts';
import { installed } from '../run/installed.ts';
import { until } from '../until.ts';

const pageLimitMs = 60_000;
const answerLimitMs = 30_000;
const closeLimitMs = 5_000;

/** WebKit has not answered. */
export class WebKitHangs extends Error {}

/** Debian's WebKitGTK, which has the engine of Safari, on a virtual display and driven by WebDriver. This build has no WebRTC. */
export class WebKit {
  readonly #processes: ChildProcess[];
  readonly #session: string;

  static async launch(): Promise<WebKit> {
    const screen = ['-screen', '0', '1280x900x24', '-nolisten', 'tcp', '-displayfd', '3'];
    const display = spawn(installed('xvfb'), screen, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    const [number] = (await once(display.stdio[3] as Readable, 'data')) as [Buffer];
    const port = await freePorts(1);
    const driver = spawn(installed('webKit'), [`--port=${port}`, '--host=127.0.0.1'], {
      stdio: 'ignore',
      // Its sandbox needs rights that a container may not have.
      env: {
        ...process.env,
        DISPLAY: `:${String(number).trim()}`,
        WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
      },
    });
    const url = `http://127.0.0.1:${port}`;
    const isReady = () =>
      fetch(`${url}/status`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(isReady, 'the driver of WebKit is ready');
    const { sessionId } = await ask<{ sessionId: string }>('POST', `${url}/session`, { capabilities: {} });
    const session = `${url}/session/${sessionId}`;
    await ask('POST', `${session}/timeouts`, { script: pageLimitMs, pageLoad: pageLimitMs });
    return new WebKit([driver, display], session);
  }

  private constructor(processes: ChildProcess[], session: string) {
    this.#processes = processes;
    this.#session = session;
  }

  async goto(url: string): Promise<void> {
    await ask('POST', `${this.#session}/url`, { url }, pageLimitMs);
  }

  /** @param body the body of a function of the page, which may await */
  async run<Value>(body: string): Promise<Value> {
    const script = `const done = arguments[0]; (async () => { ${body} })().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const { value, error } = await ask<{ value: Value; error?: string }>(
      'POST',
      `${this.#session}/execute/async`,
      { script, args: [] },
    );
    if (error !== undefined) throw new Error(error);
    return value;
  }

  async click(testId: string): Promise<void> {
    await ask('POST', `${await this.#element(testId)}/click`, {});
  }

  /** Types a text. `\uE007` is Enter. */
  async type(testId: string, text: string): Promise<void> {
    await ask('POST', `${await this.#element(testId)}/value`, { text });
  }

  async attribute(testId: string, name: string): Promise<string> {
    return ask('GET', `${await this.#element(testId)}/attribute/${name}`);
  }

  /** Waits until the page shows this text. */
  async shows(text: string): Promise<void> {
    await until(
      async () => (await this.run<string>('return document.body.innerText')).includes(text),
      `the page shows “${text}”`,
    );
  }

  async close(): Promise<void> {
    await ask('DELETE', this.#session, undefined, closeLimitMs).catch(() => undefined);
    for (const { pid } of this.#processes) killProcess(pid);
  }

  /** Waits for an element. @returns its address */
  #element(testId: string): Promise<string> {
    const wanted = { using: 'css selector', value: `[data-testid=${testId}]` };
    return until(async () => {
      const found = await ask<Record<string, string>[]>('POST', `${this.#session}/elements`, wanted);
      const [id] = Object.values(found[0] ?? {});
      return id === undefined ? null : `${this.#session}/element/${id}`;
    }, `WebKit shows ${testId}`);
  }
}

/** Sends a command of WebDriver. @throws Error with what the driver answers, WebKitHangs if it does not */
async function ask<Value>(
  method: string,
  url: string,
  body?: unknown,
  limitMs = answerLimitMs,
): Promise<Value> {
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(limitMs),
  }).catch((cause: Error) => {
    throw cause.name === 'TimeoutError' ? new WebKitHangs('WebKit does not answer.', { cause }) : cause;
  });
  const { value } = (await response.json()) as { value: Value };
  if (!response.ok) throw new Error(`WebKit: ${JSON.stringify(value)}`);
  return value;
}
