import type { Member, Subscription, Publication } from './Member.ts';
import type { MediaEvents } from '../MediaCluster.ts';
import type { RoomMembers } from './RoomMembers.ts';
import type { RoomRouter } from '../router/RoomRouter.ts';
import type { RouterEvent } from '../router/routerOperations.ts';

type Scores = Extract<RouterEvent, { name: 'scores' }>;

/** The maximum score of a subscription while it receives a layer below the wanted one, because the bandwidth is too low. */
const smallerLayerScore = 5;
const best = 10;

/** Computes the connection quality of each participant of a room, and returns the changes. */
export class RoomQuality {
  readonly #roomId: string;
  readonly #members: RoomMembers;
  readonly #isUnwanted: (publication: Publication) => boolean;
  readonly #reported = new Map<string, string>();

  /** @param isUnwanted whether no subscriber needs a video, so that its publisher was asked not to send it */
  constructor(roomId: string, members: RoomMembers, isUnwanted: (publication: Publication) => boolean) {
    this.#roomId = roomId;
    this.#members = members;
    this.#isUnwanted = isUnwanted;
  }

  /** Applies new scores from a router. @returns the changed qualities */
  rate(router: RoomRouter, { producers, consumers }: Scores): MediaEvents['quality'][] {
    const scores = new Map(producers.map((entry) => [entry.id, entry]));
    const received = new Map(consumers.map((entry) => [entry.id, entry]));
    const members = [...this.#members.present.values()].filter((member) => member.router === router);
    return members.filter(isRated).flatMap((member) => {
      for (const publication of member.publications.values()) {
        const reported = scores.get(publication.producerId);
        if (reported) publication.score = reported.score;
      }
      for (const subscription of member.subscriptions.values()) {
        const entry = received.get(subscription.info.id);
        if (entry) Object.assign(subscription, { score: entry.score, flowing: entry.layer });
      }
      return this.changeOf(member) ?? [];
    });
  }

  /**
   * Reports the quality of the other members again for a new one, because routers only report changes.
   * @returns the qualities of the other members
   */
  reportAgain(newcomer: Member): MediaEvents['quality'][] {
    this.#reported.clear();
    const others = [...this.#members.present.values()].filter((member) => member !== newcomer);
    return others.filter(isRated).flatMap((member) => this.changeOf(member) ?? []);
  }

  forget({ id }: Member): void {
    this.#reported.delete(id);
  }

  /** @returns the quality of a member; null if it has not changed */
  changeOf(member: Member): MediaEvents['quality'] | null {
    const sending = lowest(
      [...member.publications.values()]
        .filter((publication) => this.#isExpected(publication))
        .map(scoreOfSent),
    );
    const receiving = lowest([...member.subscriptions.values()].filter(isFlowing).map(scoreOfSubscription));
    const { isArriving } = member;
    const reported = `${sending} ${receiving} ${isArriving}`;
    if (this.#reported.get(member.id) === reported) return null;
    this.#reported.set(member.id, reported);
    return { roomId: this.#roomId, peer: member.info, sending, receiving, isArriving };
  }

  /** Whether packets are expected. A publication that is silent on purpose says nothing about the connection. */
  #isExpected(publication: Publication): boolean {
    return !publication.isPaused && !(publication.score === 0 && this.#isUnwanted(publication));
  }
}

/** Viewers may be very many, and nobody is told their quality. */
export const isRated = ({ isViewer }: Member): boolean => !isViewer;

const isFlowing = ({ applied, publication }: Subscription) => !applied.paused && !publication.isPaused;

const scoreOfSent = ({ score }: Publication) => score;

function scoreOfSubscription({ score, layer, flowing, publication }: Subscription): number {
  const wanted = Math.min(layer ?? publication.layers.length - 1, publication.layers.length - 1);
  const isSmaller = publication.layers.length > 1 && flowing !== null && flowing < wanted;
  return isSmaller ? Math.min(score, smallerLayerScore) : score;
}

const lowest = (scores: number[]): number | null => (scores.length > 0 ? Math.min(best, ...scores) : null);
