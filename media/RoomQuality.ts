import type { Member, Reception, Sent } from './Member.ts';
import type { MediaEvents } from './MediaCluster.ts';

/** A picture that comes smaller than it is shown: what the bandwidth carries, not what the app asked for. */
const tooSmall = 5;
const best = 10;

/** How well media gets through, for each member of a room: told when it changes. */
export class RoomQuality {
  readonly #told = new Map<string, string>();

  /** @returns what is new */
  of(roomId: string, member: Member): MediaEvents['quality'] | null {
    const sending = lowest([...member.sent.values()].filter((sent) => !sent.isPaused).map(scoreOfSent));
    const receiving = lowest([...member.receptions.values()].filter(isFlowing).map(scoreOfReception));
    const isArriving = [...member.sent.values()].some((sent) => sent.isArriving);
    const told = `${sending} ${receiving} ${isArriving}`;
    if (this.#told.get(member.id) === told) return null;
    this.#told.set(member.id, told);
    return { roomId, peer: member.info, sending, receiving, isArriving };
  }

  /** Somebody came who has heard of nobody: all are told again. */
  retell(): void {
    this.#told.clear();
  }

  forget({ id }: Member): void {
    this.#told.delete(id);
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
