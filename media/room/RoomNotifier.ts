import type { EmitRoomEvent } from '../roomEvents.ts';
import type { Member, Subscription, Publication } from './Member.ts';

/** Emits the events of one room. */
export class RoomNotifier {
  readonly #roomId: string;
  readonly #emit: EmitRoomEvent;

  constructor(roomId: string, emit: EmitRoomEvent) {
    this.#roomId = roomId;
    this.#emit = emit;
  }

  /** Announces a paused consumer. A plain RTP peer cannot add tracks, so its egress has to be opened again. */
  offered({ to, publication, info }: Subscription): void {
    if (to.egresses !== null) return this.#egressChanged(to);
    this.#emit('consumer', {
      roomId: this.#roomId,
      to: to.info,
      from: publication.from.info,
      consumer: info,
    });
  }

  ended({ to, info }: Subscription): void {
    if (to.egresses !== null) return this.#egressChanged(to);
    this.#emit('consumerClosed', { roomId: this.#roomId, to: to.info, consumerId: info.id });
  }

  updated({ info }: Member): void {
    this.#emit('peerUpdated', { roomId: this.#roomId, peer: info });
  }

  disconnected({ info }: Member): void {
    this.#emit('disconnected', { roomId: this.#roomId, peer: info });
  }

  arriving({ info, isArriving }: Member): void {
    this.#emit('arriving', { roomId: this.#roomId, peer: info, isArriving });
  }

  layersWanted({ from, source }: Publication, layer: number): void {
    this.#emit('layersWanted', { roomId: this.#roomId, to: from.info, source, layer });
  }

  moving(members: readonly Member[]): void {
    this.#emit('roomMoving', { roomId: this.#roomId, peers: members.map(({ info }) => info) });
  }

  gone({ id }: Member): void {
    this.#emit('peerGone', { roomId: this.#roomId, peerId: id });
  }

  #egressChanged({ info }: Member): void {
    this.#emit('egressChanged', { roomId: this.#roomId, to: info });
  }
}
