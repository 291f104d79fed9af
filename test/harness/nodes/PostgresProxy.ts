import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/** A proxy of an embedded PostgreSQL that can lose an answer: it closes the connection instead of passing it on. */
export class PostgresProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** What a connection must send before its next answer is lost. */
  #losing: { texts: string[]; onLost: () => void } | null = null;

  /** @param folder the folder with the database's socket */
  static async open(folder: string): Promise<PostgresProxy> {
    const proxy = new PostgresProxy(join(folder, '.s.PGSQL.5432'));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  private constructor(path: string) {
    this.#server = createServer((near) => this.#pass(near, connect({ path })));
  }

  /** For DATABASE_URL. */
  get url(): string {
    return `postgresql://postgres@127.0.0.1:${(this.#server.address() as AddressInfo).port}/postgres?ssl=0`;
  }

  /**
   * Loses the answer that follows these texts on one connection, in this order. PostgreSQL executes what they ask for.
   * @returns a promise that resolves when the answer is lost
   */
  loseAnswerTo(...texts: string[]): Promise<void> {
    return new Promise((onLost) => (this.#losing = { texts, onLost }));
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #pass(near: Socket, far: Socket): void {
    let isLost = false;
    let sent = 0;
    let losing = this.#losing;
    near.on('data', (bytes) => {
      if (losing !== this.#losing) [losing, sent] = [this.#losing, 0];
      while (losing && sent < losing.texts.length && bytes.includes(losing.texts[sent] ?? '')) sent++;
      if (losing && sent === losing.texts.length) {
        isLost = true;
        this.#losing = null;
      }
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (!isLost) return void near.write(bytes);
      near.destroy();
      losing?.onLost();
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
