/** Typed events. A listener that throws harms neither the others nor whoever emits: its error is reported like an uncaught one. */
export class Listeners<Events extends Record<string, unknown>> {
  readonly #handlers = new Map<keyof Events, Set<(payload: never) => void>>();

  /** @returns a function that removes the handler again */
  on<Name extends keyof Events>(event: Name, handler: (payload: Events[Name]) => void): () => void {
    const handlers = this.#handlers.get(event) ?? new Set();
    this.#handlers.set(event, handlers.add(handler));
    return () => this.off(event, handler);
  }

  /** Removes one handler, or all of the event. */
  off<Name extends keyof Events>(event: Name, handler?: (payload: Events[Name]) => void): void {
    if (handler) this.#handlers.get(event)?.delete(handler);
    else this.#handlers.delete(event);
  }

  emit<Name extends keyof Events>(event: Name, payload: Events[Name]): void {
    for (const handler of [...(this.#handlers.get(event) ?? [])]) {
      try {
        (handler as (payload: Events[Name]) => void)(payload);
      } catch (error) {
        reportError(error);
      }
    }
  }

  clear(): void {
    this.#handlers.clear();
  }
}

/** Lets the page's (or the process's) own error handling see it, outside our call stack. */
function reportError(error: unknown): void {
  setTimeout(() => {
    throw error;
  });
}
