import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy on the same port at another address of this machine. It passes everything on after a delay, in both directions. */
export class DelayProxy {
  readonly #server: Server;

  static async open(host: string, port: number, to: string, delayMs: number): Promise<DelayProxy> {
    const proxy = new DelayProxy(to, port, delayMs);
    await new Promise<void>((resolve) => proxy.#server.listen(port, host, resolve));
    return proxy;
  }

  private constructor(to: string, port: number, delayMs: number) {
    this.#server = createServer({ noDelay: true }, (near) => {
      const far = connect({ host: to, port, noDelay: true });
      pass(near, far, delayMs);
      pass(far, near, delayMs);
    });
  }

  close(): void {
    this.#server.close();
  }
}

/** Timers of equal length fire in the order in which they were set, so bytes stay in order. */
function pass(from: Socket, to: Socket, delayMs: number): void {
  from.on('data', (bytes) => setTimeout(() => to.write(bytes), delayMs));
  from.on('close', () => setTimeout(() => to.destroy(), delayMs));
  from.on('error', () => to.destroy());
}
