import type { Socket } from 'socket.io-client';
import type { WantedMedia } from '../../../sdk/protocol/media.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import type { EventOf, ResponseOf } from '../../../sdk/protocol/wire.ts';
import { newWallet, send, signIn, socket as socketTo } from '../../integration/support.ts';

type Participant = EventOf<'conference:participant:joined'>;

/** A client of a conference room without the SDK that records who joins and leaves. */
export class RawRoomClient {
  readonly address: string;
  /** Connects another device of the same wallet. */
  readonly otherDevice: () => Promise<RawRoomClient>;
  readonly #socket: Socket;
  /** Ids of the participants in the answer to `conference.join`. */
  listed: string[] = [];
  readonly joined: string[] = [];
  readonly left: string[] = [];
  /** When the latest of these events arrived, as of performance.now(). */
  changedAt = 0;
  readonly #welcome: Promise<EventOf<'session:welcome'>>;
  /** This client's participant id. */
  participantId = '';

  static async connect(url: string, wallet = newWallet()): Promise<RawRoomClient> {
    const { token } = await signIn(url, wallet);
    return new RawRoomClient(wallet.address, socketTo(url, { token, protocolVersion }), () =>
      RawRoomClient.connect(url, wallet),
    );
  }

  private constructor(address: string, socket: Socket, twin: () => Promise<RawRoomClient>) {
    this.address = address;
    this.otherDevice = twin;
    this.#socket = socket;
    this.#welcome = new Promise((resolve) => socket.once('session:welcome', resolve));
    const record = (ids: string[], { id }: Participant) => {
      ids.push(id);
      this.changedAt = performance.now();
    };
    socket.on('conference:participant:joined', (participant: Participant) =>
      record(this.joined, participant),
    );
    socket.on('conference:participant:left', (participant: Participant) => record(this.left, participant));
  }

  /** Sends a request. @throws Error with the server's code and message */
  async ask(name: string, payload: object): Promise<unknown> {
    const answer = await send(this.#socket, name, payload);
    if (!answer.ok) throw new Error(`${name}: ${answer.error.code} ${answer.error.message}`);
    return answer.data;
  }

  /** The part of a request that asks for transports, as in the SDK's requests. */
  async media(): Promise<{ media: NonNullable<WantedMedia> }> {
    const { rtpCapabilities } = await this.#welcome;
    return { media: { rtpCapabilities } as NonNullable<WantedMedia> };
  }

  /**
   * @param withMedia whether the answer must contain transports, as for the SDK
   * @returns the duration in milliseconds
   */
  async join(roomId: string, withMedia = false): Promise<number> {
    const media = await this.media();
    const startedAt = performance.now();
    const answer = (await this.ask('conference.join', {
      roomId,
      ...(withMedia && media),
    })) as ResponseOf<'conference.join'>;
    if (answer.state !== 'joined') throw new Error('the client is in the waiting room');
    if (withMedia && !answer.media) throw new Error('the answer contains no transports');
    this.participantId = answer.participant.id;
    this.listed = answer.room.participants.map(({ id }) => id);
    return performance.now() - startedAt;
  }

  /** @returns the duration in milliseconds */
  async leave(roomId: string): Promise<number> {
    const startedAt = performance.now();
    await this.ask('conference.leave', { roomId });
    return performance.now() - startedAt;
  }

  /** Forgets a room that this client was in. */
  forget(): void {
    this.listed = [];
    this.joined.length = this.left.length = 0;
  }

  /** Ids of all participants in the room. As in the SDK, a participant reported by both the join answer and an event counts once. */
  get present(): Set<string> {
    return new Set([...this.listed, ...this.joined].filter((id) => !this.left.includes(id)));
  }
}

/** Signs in and connects this many clients, 20 at a time. */
export async function connectRoomClients(url: string, count: number): Promise<RawRoomClient[]> {
  const connected: RawRoomClient[] = [];
  while (connected.length < count) {
    const batch = Math.min(20, count - connected.length);
    connected.push(...(await Promise.all(Array.from({ length: batch }, () => RawRoomClient.connect(url)))));
  }
  return connected;
}
