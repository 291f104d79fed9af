import type { Member, Subscription, Publication } from './Member.ts';
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
  readonly #isUnwanted: (publication: Publication) => boolean;
  readonly #told = new Map<string, string>();

  /** @param isUnwanted whether nobody looks at a picture, so that its device was told not to send it */
  constructor(roomId: string, members: RoomMembers, isUnwanted: (publication: Publication) => boolean) {
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
      for (const publication of member.publications.values()) {
        const told = scores.get(publication.producerId);
        if (told) Object.assign(publication, { score: told.score, isArriving: told.isArriving ?? false });
      }
      for (const subscription of member.subscriptions.values()) {
        const entry = received.get(subscription.info.id);
        if (entry) Object.assign(subscription, { score: entry.score, flowing: entry.layer });
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
    const sending = lowest(
      [...member.publications.values()].filter((publication) => this.#isToCome(publication)).map(scoreOfSent),
    );
    const receiving = lowest([...member.subscriptions.values()].filter(isFlowing).map(scoreOfSubscription));
    const isArriving = [...member.publications.values()].some((publication) => publication.isArriving);
    const told = `${sending} ${receiving} ${isArriving}`;
    if (this.#told.get(member.id) === told) return null;
    this.#told.set(member.id, told);
    return { roomId: this.#roomId, peer: member.info, sending, receiving, isArriving };
  }

  /** What is silent for good reason says nothing of the line it would come by. */
  #isToCome(publication: Publication): boolean {
    return !publication.isPaused && !(publication.score === 0 && this.#isUnwanted(publication));
  }
}

const isFlowing = ({ applied, publication }: Subscription) => !applied.paused && !publication.isPaused;

const scoreOfSent = ({ score }: Publication) => score;

function scoreOfSubscription({ score, layer, flowing, publication }: Subscription): number {
  const wanted = Math.min(layer ?? publication.layers.length - 1, publication.layers.length - 1);
  const isSmaller = publication.layers.length > 1 && flowing !== null && flowing < wanted;
  return isSmaller ? Math.min(score, tooSmall) : score;
}

const lowest = (scores: number[]): number | null => (scores.length > 0 ? Math.min(best, ...scores) : null);
