/** Typed events. An error in a handler affects neither the other handlers nor the emitter. It is reported as an uncaught error. */
export class Listeners<Events extends Record<string, unknown>> {
  readonly #handlers = new Map<keyof Events, Set<(payload: never) => void>>();

  readonly #observers: { [Name in keyof Events]?: (payload: Events[Name]) => void }[] = [];

  /** Adds handlers of the SDK itself. They come before those of the app, and off() and clear() do not remove them. */
  observe(observer: { [Name in keyof Events]?: (payload: Events[Name]) => void }): void {
    this.#observers.push(observer);
  }

  /** @returns a function that removes the handler */
  on<Name extends keyof Events>(event: Name, handler: (payload: Events[Name]) => void): () => void {
    const handlers = this.#handlers.get(event) ?? new Set();
    this.#handlers.set(event, handlers.add(handler));
    return () => this.off(event, handler);
  }

  /** Removes one handler, or all handlers of the event. */
  off<Name extends keyof Events>(event: Name, handler?: (payload: Events[Name]) => void): void {
    if (handler) this.#handlers.get(event)?.delete(handler);
    else this.#handlers.delete(event);
  }

  emit<Name extends keyof Events>(event: Name, payload: Events[Name]): void {
    for (const observer of this.#observers) observer[event]?.(payload);
    for (const handler of [...(this.#handlers.get(event) ?? [])]) {
      callApp(() => (handler as (payload: Events[Name]) => void)(payload));
    }
  }

  has(event: keyof Events): boolean {
    return (this.#handlers.get(event)?.size ?? 0) > 0;
  }

  clear(): void {
    this.#handlers.clear();
  }
}

/** Calls a function of the app. Its error does not reach the SDK, but the error handler of the page or process. */
export function callApp(run: () => void): void {
  try {
    run();
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}
