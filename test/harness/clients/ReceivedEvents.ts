import type { Socket } from 'socket.io-client';

/** The events that a connection has received, oldest first. */
export class ReceivedEvents {
  readonly #events: [name: string, payload: unknown][] = [];

  constructor(socket: Socket) {
    socket.onAny((name: string, payload: unknown) => this.#events.push([name, payload]));
  }

  /** Waits for the first event with this name that matches. Events that have already arrived count. */
  async first<T>(name: string, matches: (payload: T) => boolean = () => true): Promise<T> {
    const deadline = Date.now() + 30_000;
    for (;;) {
      const found = this.all<T>(name).find(matches);
      if (found !== undefined) return found;
      if (Date.now() > deadline) throw new Error(`no ${name}; received ${JSON.stringify(this.#events)}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** The payloads of the events with this name so far. */
  all<T>(name: string): T[] {
    return this.#events.filter(([event]) => event === name).map(([, payload]) => payload as T);
  }
}
