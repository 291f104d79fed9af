import type { Member, Reception, Sent } from './Member.ts';
import type { MediaEvents } from '../MediaCluster.ts';
import { isCounted, type RoomMembers } from './RoomMembers.ts';
import type { RouterEvent, RoomRouter } from '../router/RoomRouter.ts';

type Scores = Extract<RouterEvent, { name: 'scores' }>;

/** A picture that comes smaller than it is shown: what the bandwidth carries, not what the app asked for. */
const tooSmall = 5;
const best = 10;

/** How well media gets through, for each member of a room: told when it changes. */
export class RoomQuality {
  readonly #roomId: string;
  readonly #members: RoomMembers;
  readonly #isUnwanted: (sent: Sent) => boolean;
  readonly #told = new Map<string, string>();

  /** @param isUnwanted whether nobody looks at a picture, so that its device was told not to send it */
  constructor(roomId: string, members: RoomMembers, isUnwanted: (sent: Sent) => boolean) {
    this.#roomId = roomId;
    this.#members = members;
    this.#isUnwanted = isUnwanted;
  }

  /** A part tells how packets come through there. @returns what is new */
  rate(router: RoomRouter, { producers, consumers }: Scores): MediaEvents['quality'][] {
    const scores = new Map(producers.map((entry) => [entry.id, entry]));
    const received = new Map(consumers.map((entry) => [entry.id, entry]));
    const members = [...this.#members.present.values()].filter((member) => member.router === router);
    return members.filter(isCounted).flatMap((member) => {
      for (const sent of member.sent.values()) {
        const told = scores.get(sent.producerId);
        if (told) Object.assign(sent, { score: told.score, isArriving: told.isArriving ?? false });
      }
      for (const reception of member.receptions.values()) {
        const entry = received.get(reception.info.id);
        if (entry) Object.assign(reception, { score: entry.score, flowing: entry.layer });
      }
      return this.#changeOf(member) ?? [];
    });
  }

  /**
   * Somebody came who has heard of nobody. The others are told again at once: a part where nothing changes any more tells nothing.
   * @returns how it goes for them
   */
  retell(newcomer: Member): MediaEvents['quality'][] {
    this.#told.clear();
    const others = [...this.#members.present.values()].filter((member) => member !== newcomer);
    return others.filter(isCounted).flatMap((member) => this.#changeOf(member) ?? []);
  }

  forget({ id }: Member): void {
    this.#told.delete(id);
  }

  #changeOf(member: Member): MediaEvents['quality'] | null {
    const sending = lowest([...member.sent.values()].filter((sent) => this.#isToCome(sent)).map(scoreOfSent));
    const receiving = lowest([...member.receptions.values()].filter(isFlowing).map(scoreOfReception));
    const isArriving = [...member.sent.values()].some((sent) => sent.isArriving);
    const told = `${sending} ${receiving} ${isArriving}`;
    if (this.#told.get(member.id) === told) return null;
    this.#told.set(member.id, told);
    return { roomId: this.#roomId, peer: member.info, sending, receiving, isArriving };
  }

  /** What is silent for good reason says nothing of the line it would come by. */
  #isToCome(sent: Sent): boolean {
    return !sent.isPaused && !(sent.score === 0 && this.#isUnwanted(sent));
  }
}

const isFlowing = ({ applied, sent }: Reception) => !applied.paused && !sent.isPaused;

const scoreOfSent = ({ score }: Sent) => score;

function scoreOfReception({ score, layer, flowing, sent }: Reception): number {
  const wanted = Math.min(layer ?? sent.layers.length - 1, sent.layers.length - 1);
  const isSmaller = sent.layers.length > 1 && flowing !== null && flowing < wanted;
  return isSmaller ? Math.min(score, tooSmall) : score;
}

const lowest = (scores: number[]): number | null => (scores.length > 0 ? Math.min(best, ...scores) : null);
