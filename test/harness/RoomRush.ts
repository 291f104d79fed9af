import type { Socket } from 'socket.io-client';
import { protocolVersion } from '../../sdk/protocol/version.ts';
import type { EventOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import { newWallet, send, signIn, socket as socketTo } from '../integration/support.ts';

type Participant = EventOf<'conference:participant:joined'>;

/** Somebody with a bare connection who counts what it is told of a room. */
export class Visitor {
  readonly address: string;
  /** Another device of the same wallet. */
  readonly twin: () => Promise<Visitor>;
  readonly #socket: Socket;
  /** Ids of those who were in the list of the answer. */
  listed: string[] = [];
  readonly joined: string[] = [];
  readonly left: string[] = [];
  /** Its own. */
  participantId = '';

  static async connect(url: string, wallet = newWallet()): Promise<Visitor> {
    const { token } = await signIn(url, wallet);
    return new Visitor(wallet.address, socketTo(url, { token, protocolVersion }), () =>
      Visitor.connect(url, wallet),
    );
  }

  private constructor(address: string, socket: Socket, twin: () => Promise<Visitor>) {
    this.address = address;
    this.twin = twin;
    this.#socket = socket;
    socket.on('conference:participant:joined', ({ id }: Participant) => this.joined.push(id));
    socket.on('conference:participant:left', ({ id }: Participant) => this.left.push(id));
  }

  /** @throws Error as the server refuses */
  async ask(name: string, payload: object): Promise<unknown> {
    const answer = await send(this.#socket, name, payload);
    if (!answer.ok) throw new Error(`${name}: ${answer.error.code} ${answer.error.message}`);
    return answer.data;
  }

  /** @returns how long it took, in milliseconds */
  async join(roomId: string): Promise<number> {
    const startedAt = performance.now();
    const answer = (await this.ask('conference.join', { roomId })) as ResponseOf<'conference.join'>;
    if (answer.state !== 'joined') throw new Error('it waits in front of the door');
    this.participantId = answer.participant.id;
    this.listed = answer.room.participants.map(({ id }) => id);
    return performance.now() - startedAt;
  }

  /** @returns how long it took, in milliseconds */
  async leave(roomId: string): Promise<number> {
    const startedAt = performance.now();
    await this.ask('conference.leave', { roomId });
    return performance.now() - startedAt;
  }

  /** Everybody it knows to be in the room. One who is in the list and told of as well counts once, as the SDK has it. */
  get present(): Set<string> {
    return new Set([...this.listed, ...this.joined].filter((id) => !this.left.includes(id)));
  }
}

/** So many, signed in and connected, a few at a time. */
export async function visitors(url: string, count: number): Promise<Visitor[]> {
  const made: Visitor[] = [];
  while (made.length < count) {
    const some = Math.min(20, count - made.length);
    made.push(...(await Promise.all(Array.from({ length: some }, () => Visitor.connect(url)))));
  }
  return made;
}
