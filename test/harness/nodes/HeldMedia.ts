import { MediaRoom } from '../../../media/room/MediaRoom.ts';
import type { PeerInfo } from '../../../media/roomOperations.ts';

type Held = 'join' | 'resume' | 'produce' | 'closeProducer' | 'setPaused' | 'openIngest';

/** Holds requests on their way from the rules of this process to its media rooms, after the rules have allowed them. */
export class HeldMedia {
  #room: MediaRoom | null = null;

  /** Holds the next request with this name. */
  next(name: Held): { arrived: Promise<void>; release: () => void; settled: Promise<unknown> } {
    const { prototype } = MediaRoom;
    const original = Reflect.get(prototype, name) as (request: never) => Promise<unknown>;
    let [arrive, release, settle] = [() => {}, () => {}, (_outcome: unknown) => {}];
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    const settled = new Promise<unknown>((resolve) => (settle = resolve));
    const restore = () => Object.assign(prototype, { [name]: original });
    const note = (room: MediaRoom) => (this.#room = room);
    Object.assign(prototype, {
      async [name](this: MediaRoom, request: never) {
        restore();
        note(this);
        arrive();
        await released;
        const done = original.call(this, request);
        done.then(settle, settle);
        return done;
      },
    });
    return { arrived, release, settled };
  }

  /** The peers in the room of the last held request. Viewers of streams are not included. */
  async peers(): Promise<PeerInfo[]> {
    return (await this.#room?.peers()) ?? [];
  }
}
