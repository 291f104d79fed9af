import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePorts } from './ports.ts';

/**
 * A TCP load balancer in front of several nodes: each connection goes to the node with the fewest connections, or to another if that
 * one refuses.
 * (With round robin, clients that open one connection for HTTP and one for a WebSocket would have all WebSockets on the same node.)
 * Tests can cut its connections, as if the network had failed.
 */
export class LoadBalancer {
  readonly port: number;
  readonly url: string;
  readonly #server: Server;
  readonly #backends: number[];
  readonly #open = new Map<number, number>();
  readonly #sockets = new Set<Socket>();
  #next = 0;
  #pinned: number | null = null;
  #isCut = false;

  /** @param backends ports on loopback, where servers may not be listening yet */
  static async create(backends: number[]): Promise<LoadBalancer> {
    const balancer = new LoadBalancer(await freePorts(), backends);
    balancer.#server.listen(balancer.port, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  private constructor(port: number, backends: number[]) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.#backends = backends;
    this.#server = createServer({ pauseOnConnect: true }, (client) => {
      if (this.#isCut) return void client.resetAndDestroy();
      this.#keep(client);
      this.#forward(client, this.#candidates());
    });
  }

  /** Sends new connections only to this port. */
  pin(port: number): void {
    this.#pinned = port;
  }

  unpin(): void {
    this.#pinned = null;
  }

  /** Resets every connection, losing the data in transit, and refuses new ones until restore(). */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  restore(): void {
    this.#isCut = false;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** The ports, those with the fewest connections first. Ports with equally many take turns. */
  #candidates(): number[] {
    if (this.#pinned !== null) return [this.#pinned];
    const first = this.#next++ % this.#backends.length;
    const turn = [...this.#backends.slice(first), ...this.#backends.slice(0, first)];
    return turn.sort((a, b) => this.#count(a) - this.#count(b));
  }

  #count(port: number, change = 0): number {
    const count = (this.#open.get(port) ?? 0) + change;
    this.#open.set(port, count);
    return count;
  }

  #forward(client: Socket, [port, ...others]: number[]): void {
    if (port === undefined) return void client.destroy();
    const upstream = connect(port, '127.0.0.1');
    this.#keep(upstream);
    this.#count(port, 1);
    upstream.once('close', () => this.#count(port, -1));
    const refused = () => this.#forward(client, others);
    upstream.once('error', refused);
    upstream.once('connect', () => {
      upstream.off('error', refused);
      if (client.destroyed) return void upstream.destroy();
      join(client, upstream);
      join(upstream, client);
    });
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay();
    // 'close' follows each error.
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
  }
}

function join(from: Socket, to: Socket): void {
  from.pipe(to);
  // Data received before the end must still be sent.
  from.on('close', () => to.destroySoon());
}
