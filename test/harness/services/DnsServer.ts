import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

const types = { A: 1, AAAA: 28 };

/** A DNS server on this machine that can change its answer with every query. */
export class DnsServer {
  /** The queries so far, for example `A hooks.example`. */
  readonly questions: string[] = [];
  readonly #socket: Socket = createSocket('udp4');
  /** Returns the addresses of a name for the nth query for it, counted from 0. */
  answer: (name: string, nth: number) => string[] = () => [];

  static async start(): Promise<DnsServer> {
    const server = new DnsServer();
    server.#socket.bind(0, '127.0.0.1');
    await once(server.#socket, 'listening');
    return server;
  }

  private constructor() {
    this.#socket.on('message', (query, { port, address }) =>
      this.#socket.send(this.#reply(query), port, address),
    );
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  close(): void {
    this.#socket.close();
  }

  #reply(query: Buffer): Buffer {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const type = query.readUInt16BE(at + 1);
    const question = `${type === types.A ? 'A' : 'AAAA'} ${labels.join('.')}`;
    const nth = this.questions.filter((earlier) => earlier === question).length;
    this.questions.push(question);
    const addresses = this.answer(labels.join('.'), nth)
      .map((text) => Buffer.from(ipaddr.parse(text).toByteArray()))
      .filter(({ length }) => length === (type === types.A ? 4 : 16));
    const head = Buffer.from(query.subarray(0, 12));
    // Flags of a recursive server's successful answer, then the numbers of entries in each section.
    [0x8180, 1, addresses.length, 0, 0].forEach((value, index) => head.writeUInt16BE(value, 2 + index * 2));
    const records = addresses.map((data) => {
      const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
      return Buffer.concat([record, data]);
    });
    return Buffer.concat([head, query.subarray(12, at + 5), ...records]);
  }
}
