import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { PeerInfo } from '../../../media/roomOperations.ts';
import type { SimulatedCluster, SimulatedNode } from './SimulatedCluster.ts';
import type { SimulatedPeer } from './SimulatedRoom.ts';

export interface Person {
  peer: SimulatedPeer;
  roomId: string;
  /** The node to which the device is connected. */
  home: SimulatedNode;
}

/** Camera and microphone. */
const sources = 2;
/** So many people of a large room publish. */
const speakers = 25;

/** A room and how many people it gets. */
export interface Plan {
  size: number;
  isStream?: boolean;
}

/**
 * Rooms for so many people: 40 % are in calls of two, 45 % in rooms of 4 to 30, 10 % in rooms of 300, 5 % in rooms of 1,000.
 */
export function plan(people: number, random: () => number): Plan[] {
  const fill = (share: number, next: () => number): Plan[] => {
    const plans: Plan[] = [];
    for (let left = Math.round(people * share); left > 0; left -= plans.at(-1)?.size ?? left)
      plans.push({ size: Math.min(left, next()) });
    return plans;
  };
  return [
    ...fill(0.4, () => 2),
    ...fill(0.45, () => 4 + Math.floor(random() * 27)),
    ...fill(0.1, () => 300),
    ...fill(0.05, () => 1_000),
  ];
}

/** The people of a simulated cluster. They join again when they are asked to. */
export class People {
  readonly all: Person[] = [];
  readonly #cluster: SimulatedCluster;
  readonly #random: () => number;
  readonly #opened = new Set<string>();
  #rejoining: Promise<unknown>[] = [];
  #asked = new Set<string>();
  #created = 0;

  constructor(cluster: SimulatedCluster, random: () => number) {
    this.#cluster = cluster;
    this.#random = random;
    cluster.onLost = (peerIds) => peerIds.forEach((peerId) => this.#rejoin(peerId));
    for (const { media } of cluster.all) {
      const again = (peers: PeerInfo[]) => peers.forEach(({ peerId }) => this.#rejoin(peerId));
      media.on('roomRestarted', ({ lost }) => again(lost));
      media.on('roomMoving', ({ peers }) => again(peers));
    }
  }

  /** @returns the people of these rooms in the order of their arrival, which is random over all rooms */
  arriving(plans: Plan[], prefix: string): Person[] {
    const anyNode = this.#chooseNodes();
    const people = plans.flatMap(({ size, isStream = false }, index) =>
      Array.from({ length: size }, (_, number) => {
        const peer = this.#peer(number, { size, isStream });
        return { peer, roomId: `${prefix} ${index}`, home: anyNode() };
      }),
    );
    for (const person of people) this.all.push(person);
    // The first of a stream is its publisher.
    if (plans.some(({ isStream }) => isStream)) return people;
    for (let index = people.length - 1; index > 0; index--) {
      const other = Math.floor(this.#random() * (index + 1));
      [people[index], people[other]] = [people[other] as Person, people[index] as Person];
    }
    return people;
  }

  async join(person: Person): Promise<void> {
    const { home, roomId, peer } = person;
    const { media } = home;
    if (!this.#opened.has(roomId)) {
      this.#opened.add(roomId);
      await media.openRoom(roomId);
    }
    try {
      await media.room(roomId).join(peer);
    } catch (error) {
      if (!(error instanceof ParleyError) || error.code !== 'NOT_FOUND') throw error;
      await media.openRoom(roomId);
      await media.room(roomId).join(peer);
    }
  }

  /** Connects the devices of a dead node to other nodes. Their media continues, if it was elsewhere. */
  async moveFrom(dead: SimulatedNode): Promise<void> {
    const anyNode = this.#chooseNodes();
    for (const person of this.all.filter(({ home }) => home === dead)) {
      person.home = anyNode();
      const { peerId, identity, tag } = person.peer;
      const resumed = person.home.media.room(person.roomId).resume({ peerId, identity, tag });
      await resumed.catch(() => this.#rejoin(peerId));
    }
  }

  /** Waits until everybody who was asked to has joined again. @returns how many these were, and how often some of them had to */
  async settled(): Promise<{ people: number; joins: number }> {
    let joins = 0;
    for (let quiet = 0; quiet < 20;) {
      await new Promise((resolve) => setImmediate(resolve));
      const waiting = this.#rejoining.splice(0);
      joins += waiting.length;
      await Promise.all(waiting);
      quiet = waiting.length > 0 ? 0 : quiet + 1;
    }
    const people = this.#asked.size;
    this.#asked = new Set();
    return { people, joins };
  }

  #peer(number: number, { size, isStream }: Required<Plan>): SimulatedPeer {
    const publishes = isStream ? number === 0 : number < speakers || size <= 30;
    const peerId = String(this.#created++);
    return {
      peerId,
      identity: peerId,
      tag: { publishes: publishes ? sources : 0 },
      rtpCapabilities: {},
      multiparty: size > 2,
      isViewer: isStream && number > 0,
    } as unknown as SimulatedPeer;
  }
  /** @returns a function that chooses a random living node */
  #chooseNodes(): () => SimulatedNode {
    const living = this.#cluster.all.filter(({ isDraining }) => !isDraining);
    return () => living[Math.floor(this.#random() * living.length)] as SimulatedNode;
  }

  #rejoin(peerId: string): void {
    const person = this.all[Number(peerId)];
    if (!person || !this.#cluster.nodes.has(person.home.id)) return;
    this.#asked.add(peerId);
    this.#rejoining.push(this.join(person));
  }
}
