import type { Socket } from 'socket.io-client';
import type { JoinedMedia, Source } from '../../../sdk/protocol/media.ts';
import type { EventOf, ResponseOf } from '../../../sdk/protocol/wire.ts';
import { connected, send, type RawAnswer } from '../../integration/support.ts';
import { newPeer, opus, vp8 } from '../media/mediaFixtures.ts';
import type { Token } from './TestGuest.ts';

const { rtpCapabilities } = newPeer('any');

/** A guest's device that joins a room and its media with raw requests. */
export class RawGuest {
  readonly #socket: Socket;
  readonly #roomId: string;
  #media!: JoinedMedia;
  participantId = '';
  /** The sources it gets. */
  readonly consumers: Source[] = [];

  static async join(url: string, token: Token): Promise<RawGuest> {
    const guest = new RawGuest(await connected(url, token.token), token.roomId);
    const joined = await guest.#answer<ResponseOf<'conference.join'>>('conference.join', {
      roomId: token.roomId,
    });
    if (joined.state !== 'joined') throw new Error('the guest has to wait');
    guest.participantId = joined.participant.id;
    guest.consumers.push(...(await guest.rejoinMedia()));
    return guest;
  }

  private constructor(socket: Socket, roomId: string) {
    this.#socket = socket;
    this.#roomId = roomId;
    socket.on('media:consumer', ({ consumer }: EventOf<'media:consumer'>) =>
      this.consumers.push(consumer.source),
    );
  }

  get #room() {
    return { scope: 'conference', id: this.#roomId };
  }

  /** @returns `ok`, or the reason of the refusal */
  produce(source: Source): Promise<string> {
    const rtpParameters = source === 'camera' || source === 'screen' ? vp8() : opus();
    return this.#outcome('media.produce', { ...this.#room, source, rtpParameters });
  }

  /** @returns `ok`, or the reason of the refusal */
  ask(name: string, more: object = {}): Promise<string> {
    return this.#outcome(`conference.${name}`, { roomId: this.#roomId, ...more });
  }

  /** Joins the media again. @returns the sources it gets */
  async rejoinMedia(): Promise<Source[]> {
    this.#media = await this.#answer('media.join', { ...this.#room, rtpCapabilities });
    return this.#media.consumers.map(({ source }) => source);
  }

  /** Resumes the media, as after a lost connection. @returns the sources it gets */
  async resume(): Promise<Source[]> {
    const peer = { ...this.#room, participantId: this.#media.peerId };
    const { consumers } = await this.#answer<ResponseOf<'media.resume'>>('media.resume', peer);
    return consumers.map(({ source }) => source);
  }

  close(): void {
    this.#socket.disconnect();
  }

  async #answer<T>(name: string, payload: object): Promise<T> {
    const answer = await send(this.#socket, name, payload);
    if (!answer.ok) throw new Error(`${name}: ${JSON.stringify(answer.error)}`);
    return answer.data as T;
  }

  async #outcome(name: string, payload: object): Promise<string> {
    const answer: RawAnswer = await send(this.#socket, name, payload);
    return answer.ok ? 'ok' : (answer.error.reason ?? answer.error.code);
  }
}
