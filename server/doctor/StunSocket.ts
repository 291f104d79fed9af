import { createSocket } from 'node:dgram';
import { ADDRCONFIG } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { decode, stunLength, type StunMessage } from './stun.ts';

export type Over = 'udp' | 'tcp' | 'tls';

/** How the messages on a TCP connection are separated: TURN sends them one after another, media ports put their length in front. */
export type Framing = 'none' | 'length';

interface Place {
  host: string;
  port: number;
  over: Over;
  framing?: Framing;
}

const limitMs = 3_000;
/** A UDP packet may be lost. */
const repeatMs = 500;

/** Sends STUN messages to one place, over UDP, TCP or TLS. */
export class StunSocket {
  readonly #send: (bytes: Buffer) => void;
  readonly #close: () => void;
  readonly #over: Over;
  readonly #listeners = new Set<(message: StunMessage) => void>();

  /** @throws Error if the place cannot be reached */
  static async open(place: Place): Promise<StunSocket> {
    return place.over === 'udp' ? StunSocket.#openUdp(place) : StunSocket.#openStream(place);
  }

  static async #openUdp({ host: name, port }: Place): Promise<StunSocket> {
    const { address: host, family } = await addressOf(name);
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
    // An address that cannot be reached is the same as no answer.
    socket.on('error', () => undefined);
    const send = (bytes: Buffer) => socket.send(bytes, port, host, () => undefined);
    const opened = new StunSocket('udp', send, () => socket.close());
    socket.on('message', (bytes) => opened.#read(bytes));
    return opened;
  }

  static async #openStream({ host, port, over, framing = 'none' }: Place): Promise<StunSocket> {
    const socket = await new Promise<Socket>((resolve, reject) => {
      const secure = () =>
        connectTls({
          host,
          port,
          ...(isIP(host) === 0 ? { servername: host } : {}),
          rejectUnauthorized: false,
        });
      const made: Socket = over === 'tls' ? secure() : connectTcp(port, host);
      made.setTimeout(limitMs, () => made.destroy(new Error('no answer')));
      made.once(over === 'tls' ? 'secureConnect' : 'connect', () => resolve(made));
      made.once('error', reject);
    });
    socket.on('error', () => undefined);
    const prefix = framing === 'length' ? 2 : 0;
    const opened = new StunSocket(
      over,
      (bytes) => {
        const length = Buffer.alloc(prefix);
        if (prefix) length.writeUInt16BE(bytes.length);
        socket.write(Buffer.concat([length, bytes]));
      },
      () => socket.destroy(),
    );
    let rest: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        const size = stunLength(rest.subarray(prefix));
        if (size === null || rest.length < prefix + size) return;
        opened.#read(rest.subarray(prefix, prefix + size));
        rest = rest.subarray(prefix + size);
      }
    });
    return opened;
  }

  private constructor(over: Over, send: (bytes: Buffer) => void, close: () => void) {
    this.#over = over;
    this.#send = send;
    this.#close = close;
  }

  /** Sends a message and waits for the one that `isAnswer` accepts. @returns null if none arrives in time */
  async ask(bytes: Buffer, isAnswer: (message: StunMessage) => boolean): Promise<StunMessage | null> {
    return new Promise((resolve) => {
      const end = (answer: StunMessage | null) => {
        clearInterval(repeating);
        clearTimeout(timer);
        this.#listeners.delete(listen);
        resolve(answer);
      };
      const listen = (message: StunMessage) => isAnswer(message) && end(message);
      const repeating = setInterval(() => this.#over === 'udp' && this.#send(bytes), repeatMs);
      const timer = setTimeout(() => end(null), limitMs);
      this.#listeners.add(listen);
      this.#send(bytes);
    });
  }

  close(): void {
    this.#close();
  }

  #read(bytes: Buffer): void {
    const message = decode(bytes);
    if (message) for (const listener of this.#listeners) listener(message);
  }
}

/** The address of a name: of IPv4 if it has one, unless this machine has none. */
async function addressOf(name: string): Promise<{ address: string; family: number }> {
  // With ADDRCONFIG, only addresses of the families that this machine has. Loopback addresses do not count for it.
  return lookup(name, { verbatim: false, hints: ADDRCONFIG }).catch(() => lookup(name, { verbatim: false }));
}
