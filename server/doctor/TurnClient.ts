import { createHash, randomBytes } from 'node:crypto';
import { StunSocket, type Over } from './StunSocket.ts';
import { attributes, encode, errorOf, types, xorAddress, type Attribute, type StunMessage } from './stun.ts';

export interface TurnPlace {
  host: string;
  port: number;
  over: Over;
}

export interface TurnCredentials {
  username: string;
  credential: string;
}

/** An error answer of a TURN server. */
export class TurnRefused extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`refused with ${code}`);
    this.code = code;
  }
}

/** In place of an error: the server gives relays to everybody. */
export const withoutCredentials = 0;

const protocols = { udp: 17, tcp: 6 };

/** Reads `turn:host:port?transport=…`. */
export function parseTurnUrl(url: string): TurnPlace {
  const found =
    /^(?<scheme>turns?):(?<host>\[[^\]]+\]|[^:?]+)(:(?<port>\d+))?(\?transport=(?<transport>\w+))?$/.exec(
      url,
    );
  const { scheme, host = '', port, transport } = found?.groups ?? {};
  const over = scheme === 'turns' ? 'tls' : transport === 'tcp' ? 'tcp' : 'udp';
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? (over === 'tls' ? 5349 : 3478)), over };
}

/** A relay of a TURN server, as browsers use it. */
export class TurnClient {
  readonly #socket: StunSocket;
  readonly #key: Buffer;
  readonly #signed: Attribute[];

  /**
   * @param relays the protocol to peers; WebRTC uses UDP
   * @throws TurnRefused if the server gives no relay
   * @throws Error if it does not answer
   */
  static async allocate(
    place: TurnPlace,
    { username, credential }: TurnCredentials,
    relays: keyof typeof protocols = 'udp',
  ): Promise<TurnClient> {
    const socket = await StunSocket.open(place);
    try {
      const wanted: Attribute = [attributes.requestedTransport, Buffer.from([protocols[relays], 0, 0, 0])];
      const first = encode(types.allocate, [wanted]);
      const asked = await socket.ask(first.bytes, answers(first.id));
      if (!asked) throw new Error('no answer');
      const [realm, nonce] = [asked.attributes.get(attributes.realm), asked.attributes.get(attributes.nonce)];
      if (!realm || !nonce) throw new TurnRefused(errorOf(asked) ?? withoutCredentials);
      const key = createHash('md5').update(`${username}:${realm.toString()}:${credential}`).digest();
      const signed: Attribute[] = [
        [attributes.username, Buffer.from(username)],
        [attributes.realm, realm],
        [attributes.nonce, nonce],
      ];
      const client = new TurnClient(socket, key, signed);
      await client.#request(types.allocate, [wanted]);
      return client;
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  private constructor(socket: StunSocket, key: Buffer, signed: Attribute[]) {
    this.#socket = socket;
    this.#key = key;
    this.#signed = signed;
  }

  /** @throws TurnRefused if the server may not relay to this address */
  async permit(address: string): Promise<void> {
    const id = randomBytes(12);
    await this.#request(types.createPermission, [[attributes.peerAddress, xorAddress(address, 0, id)]], id);
  }

  /** Sends a packet to a permitted peer. @returns the first packet that comes back; null if none does */
  async exchange(address: string, port: number, packet: Buffer): Promise<Buffer | null> {
    const id = randomBytes(12);
    const peer: Attribute = [attributes.peerAddress, xorAddress(address, port, id)];
    const { bytes } = encode(types.send, [peer, [attributes.data, packet]], { id });
    const answer = await this.#socket.ask(bytes, ({ type }) => type === types.data);
    return answer?.attributes.get(attributes.data) ?? null;
  }

  /** Gives the relay back. */
  async close(): Promise<void> {
    await this.#request(types.refresh, [[attributes.lifetime, Buffer.alloc(4)]]).catch(() => undefined);
    this.#socket.close();
  }

  async #request(type: number, given: Attribute[], id = randomBytes(12)): Promise<StunMessage> {
    const { bytes } = encode(type, [...given, ...this.#signed], { id, key: this.#key });
    const answer = await this.#socket.ask(bytes, answers(id));
    if (!answer) throw new Error('no answer');
    const error = errorOf(answer);
    if (error !== null) throw new TurnRefused(error);
    return answer;
  }
}

const answers = (id: Buffer) => (message: StunMessage) => message.id.equals(id);
