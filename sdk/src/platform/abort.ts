/* React Native and older browsers have neither AbortSignal.timeout and any, nor throwIfAborted and DOMException. */

/** Aborts after a time limit, or when the other signal aborts. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #signal: AbortSignal | undefined;

  constructor(limitMs: number, signal?: AbortSignal) {
    this.#timer = setTimeout(this.#abort, limitMs);
    this.#signal = signal;
    if (signal?.aborted) this.#abort();
    else signal?.addEventListener('abort', this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Stops the timer. */
  end(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort();
}

/** Throws the reason of the signal, if it has aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortReason(signal);
}

/** Waits, but no longer than until the signal aborts. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}

/** Settles as the promise does, but rejects with the reason of the signal as soon as that aborts. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let end = () => {};
  const aborted = new Promise<void>((resolve) => (end = resolve));
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end);
  try {
    await Promise.race([promise, aborted]);
    throwIfAborted(signal);
    return await promise;
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

/** The reason of an aborted signal. React Native's signals have none. */
export const abortReason = (signal: AbortSignal): unknown =>
  (signal.reason as unknown) ??
  Object.assign(new Error('The operation was aborted.'), { name: 'AbortError' });
