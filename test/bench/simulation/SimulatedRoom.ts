import { randomUUID } from 'node:crypto';
import type { Member, NewMember } from '../../../media/room/Member.ts';
import { PipeTrees } from '../../../media/room/PipeTrees.ts';
import type { RouterFactory } from '../../../media/room/RouterFactory.ts';
import { RoomRouters } from '../../../media/room/RoomRouters.ts';
import { isUnreachable } from '../../../media/router/unreachable.ts';
import type { RoomRouter } from '../../../media/router/RoomRouter.ts';
import { SimulatedRouter } from './SimulatedRouter.ts';

interface Publication {
  producerId: string;
  home: RoomRouter;
  isPaused: boolean;
  isClosed: boolean;
}

interface Present {
  peerId: string;
  key: string;
  router: RoomRouter;
  publications: Publication[];
}

/** The participant's peer, and how many sources it publishes. */
export type SimulatedPeer = Extract<NewMember, { rtpCapabilities: unknown }>;

/** A room with the real placement (RoomRouters) and the real pipe trees. It stands in for MediaRoom, whose media would not fit into memory. */
export class SimulatedRoom {
  readonly #routers: RoomRouters;

  readonly #trees: PipeTrees;
  readonly #present = new Map<string, Present>();
  /** The peers on each router. */
  readonly #on = new Map<RoomRouter, Set<Present>>();
  readonly #publications = new Set<Publication>();
  readonly #onLost: (peerIds: string[]) => void;

  /** @param onLost called with the peers that have to join again */
  static async open(
    id: string,
    factory: RouterFactory,
    onLost: (peerIds: string[]) => void,
  ): Promise<SimulatedRoom> {
    const room = new SimulatedRoom(id, factory, onLost);
    await room.#routers.openFirst();
    return room;
  }

  private constructor(id: string, factory: RouterFactory, onLost: (peerIds: string[]) => void) {
    this.#onLost = onLost;
    this.#trees = new PipeTrees((router) => this.#routers.isLeaving(router));
    this.#routers = new RoomRouters(id, factory, {
      onEvent: (router, event) => event.name === 'died' && void this.#onDied(router),
      onIdle: (router) => void this.#trees.forget(router),
      isRelaying: (router) => this.#trees.isRelaying(router),
    });
  }

  get routers(): RoomRouter[] {
    return this.#routers.all;
  }

  has(peerId: string): boolean {
    return this.#present.has(peerId);
  }

  /** The number of peers whose media goes through this node. */
  peersOn(nodeId: string | null): number {
    return [...this.#on].reduce(
      (sum, [router, peers]) => sum + (router.nodeId === nodeId ? peers.size : 0),
      0,
    );
  }

  /** How many pipes each router is away from each publisher's router whose media it gets. */
  get depths(): number[] {
    return this.#trees.depths;
  }

  async join(peer: SimulatedPeer): Promise<void> {
    this.leave(peer.peerId);
    const { key, router } = await this.#routers.enter(peer, this.#publications.size);
    const present: Present = { peerId: peer.peerId, key, router, publications: [] };
    const already = [...this.#publications];
    this.#present.set(peer.peerId, present);
    const beside = this.#on.get(router) ?? new Set();
    this.#on.set(router, beside.add(present));
    await Promise.all(already.map((publication) => this.#bring(publication, router, [present])));
    for (let count = peer.tag['publishes'] as number; count > 0; count--) await this.#publish(present);
  }

  leave(peerId: string): void {
    const present = this.#present.get(peerId);
    if (!present) return;
    this.#present.delete(peerId);
    this.#on.get(present.router)?.delete(present);
    for (const publication of present.publications) {
      publication.isClosed = true;
      this.#publications.delete(publication);
      // A router that does not answer is gone, with all that it has.
      const closed = [publication.home.closeProducer(publication), this.#trees.close(publication)];
      for (const closing of closed) closing.catch(() => undefined);
    }
    this.#routers.leave(present as unknown as Member);
  }

  /** Like MediaRoom.vacate(). */
  vacate(nodeId: string): void {
    const moving = this.#routers.vacate(nodeId);
    if (moving.size === 0) return;
    this.#bringAgain(this.#trees.renew());
    this.#trees.release(() => false);
    this.#lose(moving);
  }

  close(): void {
    this.#routers.close();
    this.#present.clear();
    this.#on.clear();
  }

  async #publish(present: Present): Promise<void> {
    const { router } = present;
    const publication = { producerId: randomUUID(), home: router, isPaused: false, isClosed: false };
    present.publications.push(publication);
    this.#publications.add(publication);
    await Promise.all(
      [...this.#on].map(([to, peers]) =>
        this.#bring(
          publication,
          to,
          [...peers].filter((other) => other !== present),
        ),
      ),
    );
  }

  /** Retries like Subscriptions, while both routers exist. */
  async #bring(publication: Publication, to: RoomRouter, receivers: Present[]): Promise<void> {
    while (receivers.length > 0 && !to.isClosed && !publication.isClosed && !publication.home.isClosed) {
      try {
        const branch = to === publication.home ? null : await this.#trees.bring(publication, to);
        const producerId = branch?.id ?? publication.producerId;
        if (to instanceof SimulatedRouter) for (const { key } of receivers) to.take(key, producerId);
        else await Promise.all(receivers.map(({ key }) => to.consume({ key, producerId })));
        return;
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  #bringAgain(branches: { producerId: string; to: RoomRouter }[]): void {
    for (const { producerId, to } of branches) {
      const publication = [...this.#publications].find((each) => each.producerId === producerId);
      if (publication) void this.#bring(publication, to, [...(this.#on.get(to) ?? [])]);
    }
  }

  /** Like MediaRoom's handling of a router that died. */
  async #onDied(router: RoomRouter): Promise<void> {
    const lost = [...(this.#on.get(router) ?? [])].map(({ peerId }) => peerId);
    for (const peerId of lost) this.leave(peerId);
    this.#on.delete(router);
    const { orphaned, cleared } = this.#trees.forget(router);
    await cleared;
    this.#bringAgain(orphaned);
    await this.#routers.replace(router);
    this.#onLost(lost);
  }

  #lose(routers: Set<RoomRouter>): void {
    const lost = [...routers].flatMap((router) => [...(this.#on.get(router) ?? [])]);
    this.#onLost(lost.map(({ peerId }) => peerId));
  }
}
