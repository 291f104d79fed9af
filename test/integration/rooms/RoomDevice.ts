import type { Socket } from 'socket.io-client';
import type { Source, WireParticipant } from '../../../sdk/protocol/media.ts';
import { ReceivedEvents } from '../../harness/clients/ReceivedEvents.ts';
import { newPeer, opus, vp8 } from '../../harness/media/mediaFixtures.ts';
import type { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { code, send } from '../support.ts';

const { rtpCapabilities } = newPeer('any');
/** What a device that can decode every codec sends to join. */
export const capabilities = { rtpCapabilities };

/** A device that joins a room with raw requests. */
export class RoomDevice {
  readonly socket: Socket;
  readonly roomId: string;
  readonly #server: ServerProcess;
  participant!: WireParticipant;
  muted = false;
  readonly events: ReceivedEvents;

  /** @param socket a signed-in connection to the server */
  constructor(server: ServerProcess, socket: Socket, roomId: string) {
    this.#server = server;
    this.socket = socket;
    this.roomId = roomId;
    this.events = new ReceivedEvents(socket);
  }

  async join(): Promise<this> {
    const joined = await answer<{ participant: WireParticipant; muted: boolean }>(
      this.socket,
      'conference.join',
      { roomId: this.roomId },
    );
    this.participant = joined.participant;
    this.muted = joined.muted;
    await answer(this.socket, 'media.join', { ...this.#room, ...capabilities });
    return this;
  }

  /** Joins the media again. @returns what the device receives */
  async rejoinMedia(): Promise<unknown[]> {
    const media = { ...this.#room, ...capabilities };
    return (await answer<{ consumers: unknown[] }>(this.socket, 'media.join', media)).consumers;
  }

  get #room() {
    return { scope: 'conference', id: this.roomId };
  }

  produce(source: Source, more: object = {}): Promise<string> {
    const rtpParameters = source === 'camera' || source === 'screen' ? vp8() : opus();
    return code(this.socket, 'media.produce', { ...this.#room, source, rtpParameters, ...more });
  }

  ask(name: string, more: object = {}): Promise<string> {
    return code(this.socket, `conference.${name}`, { roomId: this.roomId, ...more });
  }

  closeProducer(source: Source): Promise<string> {
    return code(this.socket, 'media.closeProducer', { ...this.#room, source });
  }

  /** The sources that the server currently forwards. */
  async sending(): Promise<Source[]> {
    const text = 'SELECT sending FROM room_members WHERE room_id = $1 AND participant_id = $2';
    const [row] = await queryDatabase(this.#server, text, [this.roomId, this.participant.id]);
    return (row?.['sending'] as Source[]).sort();
  }

  waitForSending(...sources: Source[]): Promise<unknown> {
    const wanted = [...sources].sort().join();
    return until(async () => (await this.sending()).join() === wanted, `${wanted} is forwarded`);
  }

  /** The last state this device received of another participant. */
  lastState(other: RoomDevice): WireParticipant | undefined {
    return this.events
      .all<WireParticipant>('conference:participant:updated')
      .findLast(({ id }) => id === other.participant.id);
  }

  /** Waits until this device has received this state of another participant. */
  async waitForState(other: RoomDevice, state: Partial<WireParticipant>): Promise<void> {
    await this.events.first<WireParticipant>(
      'conference:participant:updated',
      (one) =>
        one.id === other.participant.id &&
        Object.entries(state).every(([key, value]) => one[key as keyof WireParticipant] === value),
    );
  }
}

/** Sends a request. @returns the data of its answer. @throws if the server refuses it */
export async function answer<T>(socket: Socket, name: string, payload: object): Promise<T> {
  const got = await send(socket, name, payload);
  if (!got.ok) throw new Error(`${name}: ${JSON.stringify(got.error)}`);
  return got.data as T;
}
