import { ParleyError } from '../../sdk/protocol/errors.ts';
import { Member, type NewMember } from './Member.ts';
import { isUnreachable } from '../router/unreachable.ts';
import { payloadTypesOf } from '../router/payloadTypes.ts';
import type { RouterFactory } from './RouterFactory.ts';
import { loadOf } from '../router/PeerLoads.ts';
import { hasRoom, leastLoaded, placePeer } from './routerPlacement.ts';
import type { RouterLoad, RoomRouter } from '../router/RoomRouter.ts';
import type { RouterEvent } from '../router/routerOperations.ts';

interface RouterInUse {
  router: RoomRouter;
  /** Its payload-type mapping (payloadTypes.ts). */
  mapping: string;
  /** Members, including those that are entering. */
  people: number;
  entering: number;
  /** Whether any member has ever begun to enter it. Until then, the router does not count as idle. */
  isTaken: boolean;
  isVacating: boolean;
}

/** A peer that waits until it may choose. */
interface Turn {
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** No router has room: another one is needed. */
interface Needed {
  open: () => Promise<RoomRouter>;
  /** The router to use if no other one can be opened. */
  otherwise: RouterInUse | undefined;
}

interface RoomRoutersHooks {
  onEvent: (router: RoomRouter, event: RouterEvent) => void;
  /** The router has no members any more. */
  onIdle: (router: RoomRouter) => void;
  /** Whether other routers receive media through it. */
  isRelaying: (router: RoomRouter) => boolean;
}

const enterAttempts = 4;
const openAttempts = 5;

/** The maximum number of payload-type mappings, and so of additional routers, in one room. */
const maxMappings = 64;

/** The routers of one room. Another one is opened when all are full, and there is at least one for each payload-type mapping in use. */
export class RoomRouters {
  readonly #roomId: string;
  readonly #factory: RouterFactory;
  readonly #hooks: RoomRoutersHooks;
  readonly #routers = new Map<RoomRouter, RouterInUse>();
  /**
   * Routers that may take another peer: those that could when all were looked at, that were opened since, or that a peer has left. The
   * others are not looked at for each peer: a stream may have thousands.
   */
  readonly #spare = new Set<RouterInUse>();
  /** Routers that are being opened, by payload-type mapping. */
  readonly #opening = new Map<string, Promise<RouterInUse>>();
  /**
   * Peers that need another router while one is being opened, by payload-type mapping. They choose again one after another: if all did at
   * once, thousands of peers would look at all routers for each one that is opened.
   */
  readonly #waiting = new Map<string, Turn[]>();
  #closed = false;

  constructor(roomId: string, factory: RouterFactory, hooks: RoomRoutersHooks) {
    this.#roomId = roomId;
    this.#factory = factory;
    this.#hooks = hooks;
  }

  get all(): RoomRouter[] {
    return [...this.#routers.keys()];
  }

  async openFirst(): Promise<void> {
    await this.#open('', () => this.#factory.open(this.#onEvent));
  }

  /**
   * Adds a peer to the best router.
   * @param expected the number of consumers it will have
   */
  async enter(peer: NewMember, expected: number): Promise<Member> {
    for (let attempt = 1; ; attempt++) {
      const use = await this.#place(peer, expected);
      try {
        return await Member.enter(peer, use.router);
      } catch (error) {
        use.people--;
        this.closeIdle();
        // The router died just now or can't be reached: try another.
        const isTransient = use.router.isClosed || (isUnreachable(error) && use.router.nodeId !== null);
        if (!isTransient || this.#closed || attempt >= enterAttempts) throw error;
        if (use.router.nodeId !== null) this.#factory.avoid(use.router.nodeId);
        use.isVacating = true;
      } finally {
        use.entering--;
      }
    }
  }

  leave({ router, key }: Member): void {
    const use = this.#routers.get(router);
    if (!use) return;
    use.people--;
    this.#spare.add(use);
    // If this fails, the router is gone with all its peers. It is repeated while the router's node cannot be reached.
    void router.removePeer({ key }).catch(() => undefined);
    this.closeIdle();
  }

  /** Whether no new peers are placed on the router, because its node is draining or has failed. */
  isLeaving(router: RoomRouter): boolean {
    return this.#routers.get(router)?.isVacating ?? false;
  }

  /** Whether the node of a router lives. If it does, a router that died did so with its worker. */
  isOnLivingNode({ nodeId }: RoomRouter): boolean {
    return nodeId === null || this.#factory.isAlive(nodeId);
  }

  /** Stops placing peers on routers of a node. @returns these routers */
  vacate(nodeId: string): Set<RoomRouter> {
    const vacating = [...this.#routers.values()].filter(({ router }) => router.nodeId === nodeId);
    for (const use of vacating) use.isVacating = true;
    return new Set(vacating.map(({ router }) => router));
  }

  /** Opens a new router if the dead one was the last. If that fails, one is opened when the next peer enters. */
  async replace(dead: RoomRouter): Promise<void> {
    this.#routers.delete(dead);
    for (let attempt = 1; this.#routers.size === 0 && !this.#closed && attempt <= openAttempts; attempt++) {
      // It fails if the next worker died as well, or none has been replaced yet.
      await this.openFirst().catch(() => undefined);
    }
  }

  close(): void {
    this.#closed = true;
    for (const router of this.#routers.keys()) router.close();
    this.#routers.clear();
  }

  /** Chooses a router for a peer, and counts the peer immediately, so that concurrent joins take it into account. */
  async #place(peer: NewMember, expected: number): Promise<RouterInUse> {
    const mapping = mappingOf(peer);
    try {
      for (;;) {
        const choice = this.#choose(peer, mapping, expected);
        if (!('open' in choice)) return take(choice);
        try {
          if (!this.#opening.has(mapping)) return take(await this.#open(mapping, choice.open));
          await this.#waitForTurn(mapping);
        } catch (error) {
          // No other router could be opened: use one that the room already has.
          if (!choice.otherwise || choice.otherwise.router.isClosed) throw error;
          return take(choice.otherwise);
        }
      }
    } finally {
      if (!this.#opening.has(mapping)) this.#waiting.get(mapping)?.shift()?.resolve();
    }
  }

  /** Waits until a router has been opened and the peers before this one have chosen. @throws Error if the router could not be opened */
  #waitForTurn(mapping: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(mapping) ?? [];
      this.#waiting.set(mapping, waiting);
      waiting.push({ resolve, reject });
    });
  }

  #choose(peer: NewMember, mapping: string, expected: number): RouterInUse | Needed {
    const payloadTypes = payloadTypesIn(peer);
    const isUsable = (use: RouterInUse) => use.mapping === mapping && !use.isVacating && !use.router.isClosed;
    const first = find(this.#routers.values(), isUsable);
    const onAny = () => this.#factory.open(this.#onEvent, payloadTypes);
    if (!first) return { open: onAny, otherwise: undefined };
    // Calls stay on one router, because two peers do not fill a worker and pipes would be needless. Plain RTP peers use the first router
    // too, because there are few of them.
    if (!('multiparty' in peer && peer.multiparty)) return first;
    const { limits } = this.#factory;
    const load = loadOf(peer, expected, limits.consumersPerWorker);
    const loadsOf = (uses: Iterable<RouterInUse>) =>
      [...uses].filter(isUsable).map((use) => ({ router: use, load: withEntering(use, load) }));
    const withRoom = (uses: Iterable<RouterInUse>) =>
      loadsOf(uses).filter((each) => hasRoom(each.load, load, limits));
    const spare = leastLoaded(withRoom(this.#spare));
    if (spare) return spare.router;
    // The peer waits until that router is open, and chooses again.
    if (this.#opening.has(mapping)) return { open: onAny, otherwise: first };
    this.#spare.clear();
    for (const { router } of withRoom(this.#routers.values())) this.#spare.add(router);
    const used = this.all.filter((router) => this.#routers.get(router)?.mapping === mapping);
    const place = placePeer(
      {
        routers: loadsOf(this.#routers.values()),
        workers: () => this.#factory.workersWithout(used),
        hasOtherNodes: () => this.#factory.hasNodesWithRoom(used),
      },
      load,
      limits,
    );
    switch (place.kind) {
      case 'router':
        return place.router;
      case 'worker':
        return {
          open: () => this.#factory.openOn(place.worker, this.#onEvent, payloadTypes),
          otherwise: first,
        };
      case 'node':
        return {
          open: () => this.#factory.openElsewhere(this.#roomId, used, this.#onEvent, payloadTypes),
          otherwise: first,
        };
    }
  }

  #open(mapping: string, make: () => Promise<RoomRouter>): Promise<RouterInUse> {
    const there = this.#opening.get(mapping);
    if (there) return there;
    const opening = (async () => {
      if (this.#mappings.size >= maxMappings && !this.#mappings.has(mapping)) throw tooMany();
      const router = await make();
      if (this.#closed) {
        router.close();
        throw new ParleyError('NOT_FOUND', 'The room has been closed.');
      }
      const use: RouterInUse = { router, mapping, people: 0, entering: 0, isTaken: false, isVacating: false };
      this.#routers.set(router, use);
      this.#spare.add(use);
      return use;
    })();
    this.#opening.set(mapping, opening);
    const waiting = () => this.#waiting.get(mapping) ?? [];
    opening.then(
      () => {
        this.#opening.delete(mapping);
        waiting().shift()?.resolve();
      },
      (error: unknown) => {
        this.#opening.delete(mapping);
        for (const turn of waiting().splice(0)) turn.reject(error);
      },
    );
    return opening;
  }

  get #mappings(): Set<string> {
    return new Set([...this.#routers.values()].map(({ mapping }) => mapping));
  }

  /** Closes routers without members. The last router stays, and so do routers that relay media. */
  closeIdle(): void {
    const idle = [...this.#routers.values()].find((use) => this.#isIdle(use));
    if (!idle) return;
    this.#routers.delete(idle.router);
    this.#spare.delete(idle);
    this.#hooks.onIdle(idle.router);
    idle.router.close();
    // The router it received media through may now be idle too.
    this.closeIdle();
  }

  #isIdle({ router, people, isTaken }: RouterInUse): boolean {
    if (people > 0 || !isTaken || router.isClosed) return false;
    const living = this.all.filter(({ isClosed }) => !isClosed);
    return living.length > 1 && !this.#hooks.isRelaying(router);
  }

  readonly #onEvent = (router: RoomRouter, event: RouterEvent): void => {
    if (this.#routers.has(router)) this.#hooks.onEvent(router, event);
  };
}

const payloadTypesIn = (peer: NewMember) => ('payloadTypes' in peer ? peer.payloadTypes : undefined);
const mappingOf = (peer: NewMember): string => payloadTypesOf(payloadTypesIn(peer));

function find<T>(all: Iterable<T>, isIt: (one: T) => boolean): T | undefined {
  for (const one of all) if (isIt(one)) return one;
  return undefined;
}

/** The load of a router, with that of the peers that are entering. */
function withEntering({ router, entering }: RouterInUse, each: number): RouterLoad {
  const { consumers, busy } = router.load;
  return { consumers: consumers + entering * each, busy };
}

/** Counts a peer that is entering. */
function take(use: RouterInUse): RouterInUse {
  use.people++;
  use.entering++;
  use.isTaken = true;
  return use;
}

const tooMany = () =>
  new ParleyError(
    'SERVICE_UNAVAILABLE',
    'Too many payload-type mappings are in use in this room: try again later.',
    { retryAfter: 30 },
  );
