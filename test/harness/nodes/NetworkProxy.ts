import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** The server listens on `behind` and the proxy on `inFront`. Every address in 127/8 belongs to this machine. */
const behind = '127.0.0.1';
export const inFront = '127.0.0.2';

interface Flow {
  upstream: UdpSocket;
  /** Whether the flow's packets are dropped, as if its network were gone. */
  dead: boolean;
}

/**
 * Simulates a network between browser and server that can be cut. It listens on the server's port numbers at another address, and
 * forwards TCP for pages and WebSockets, and UDP and TCP for media. Connections stay open while it is cut, as if a cable were unplugged.
 */
export class NetworkProxy {
  readonly #servers: Server[] = [];
  readonly #pairs = new Set<[Socket, Socket]>();
  readonly #udp: UdpSocket[] = [];
  readonly #flows = new Map<string, Flow>();
  #cut = false;
  #admits = true;

  /**
   * @param ports the server's ports for pages
   * @param mediaPorts its ports for media, UDP and TCP
   * @param options `udp: false` forwards only TCP
   */
  static async create(ports: number[], mediaPorts: number[], { udp = true } = {}): Promise<NetworkProxy> {
    const proxy = new NetworkProxy();
    await Promise.all([...ports, ...mediaPorts].map((port) => proxy.#listenTcp(port)));
    if (udp) await Promise.all(mediaPorts.map((port) => proxy.#listenUdp(port)));
    return proxy;
  }

  private constructor() {}

  /** Stops all traffic in both directions until restore(). */
  cut(): void {
    this.#cut = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  restore(): void {
    this.#cut = false;
    for (const pair of this.#pairs) for (const socket of pair) socket.resume();
  }

  /** If `admits` is false, acts like a firewall that drops new connections and flows but keeps existing ones. */
  allowNewConnections(admits: boolean): void {
    this.#admits = admits;
  }

  /** Gives the browser another address: its open connections and flows die, and new ones work. */
  changeNetwork(): void {
    for (const flow of this.#flows.values()) flow.dead = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    for (const socket of [...this.#udp, ...[...this.#flows.values()].map(({ upstream }) => upstream)])
      socket.close();
  }

  async #listenTcp(port: number): Promise<void> {
    const server = createServer({ pauseOnConnect: true }, (client) => this.#connect(client, port)).listen(
      port,
      inFront,
    );
    this.#servers.push(server);
    await once(server, 'listening');
  }

  #connect(client: Socket, port: number): void {
    const upstream = connect(port, behind);
    const pair: [Socket, Socket] = [client, upstream];
    this.#pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.on('data', (chunk) => to.write(chunk));
      from.on('close', () => {
        to.destroy();
        this.#pairs.delete(pair);
      });
      from.on('error', () => to.destroy());
    }
    if (!this.#cut && this.#admits) client.resume();
  }

  async #listenUdp(port: number): Promise<void> {
    const socket = createSocket('udp4').bind(port, inFront);
    this.#udp.push(socket);
    await once(socket, 'listening');
    socket.on('message', (packet, from) => {
      const flow = this.#flowOf(socket, port, from);
      if (!this.#cut && !flow.dead) flow.upstream.send(packet, port, behind);
    });
  }

  #flowOf(socket: UdpSocket, port: number, from: RemoteInfo): Flow {
    const key = `${port} ${from.address} ${from.port}`;
    const known = this.#flows.get(key);
    if (known) return known;
    const flow: Flow = { upstream: createSocket('udp4'), dead: !this.#admits };
    this.#flows.set(key, flow);
    flow.upstream.on('message', (packet) => {
      if (!this.#cut && !flow.dead) socket.send(packet, from.port, from.address);
    });
    return flow;
  }
}
