import { ParleyError } from '../../sdk/protocol/errors.ts';
import { Member, type NewMember } from './Member.ts';
import { isUnreachable } from '../router/unreachable.ts';
import { payloadTypesOf } from '../router/payloadTypes.ts';
import type { RouterFactory } from './RouterFactory.ts';
import { placePeer } from './routerPlacement.ts';
import type { RouterLoad, RouterEvent, RoomRouter } from '../router/RoomRouter.ts';

interface RouterInUse {
  router: RoomRouter;
  /** Under which payload types it sends (withPayloadTypes.ts). */
  mapping: string;
  /** Members, and those who are just entering. */
  people: number;
  entering: number;
  /** Somebody has been in it, or is just entering. */
  isTaken: boolean;
  isVacating: boolean;
}

/** A part that is being made. */
interface Opening {
  opening: Promise<RouterInUse>;
  /** For this one; somebody else's is looked at anew when it is there. */
  isOwn: boolean;
  otherwise: RouterInUse | undefined;
}

interface RoomRoutersHooks {
  onEvent: (router: RoomRouter, event: RouterEvent) => void;
  /** Nobody was in it any more. */
  onIdle: (router: RoomRouter) => void;
  /** Others get something by way of it. */
  isRelaying: (router: RoomRouter) => boolean;
}

const enterAttempts = 4;
const openAttempts = 5;

/** Nobody may make a room of as many routers as there are numbers. */
const mostMappings = 64;

/** The parts of one room: one, until that is full; and one more for devices that have chosen other payload types. */
export class RoomRouters {
  readonly #roomId: string;
  readonly #maker: RouterFactory;
  readonly #hooks: RoomRoutersHooks;
  readonly #routers = new Map<RoomRouter, RouterInUse>();
  /** Parts that are being made, by numbering: whoever needs one meanwhile waits for it. */
  readonly #opening = new Map<string, Promise<RouterInUse>>();
  #closed = false;

  constructor(roomId: string, maker: RouterFactory, hooks: RoomRoutersHooks) {
    this.#roomId = roomId;
    this.#maker = maker;
    this.#hooks = hooks;
  }

  get all(): RoomRouter[] {
    return [...this.#routers.keys()];
  }

  async openFirst(): Promise<void> {
    await this.#open('', () => this.#maker.open(this.#tell));
  }

  /**
   * Takes a device into the part where it does best.
   * @param expected consumers it will have
   */
  async enter(peer: NewMember, expected: number): Promise<Member> {
    for (let attempt = 1; ; attempt++) {
      const use = await this.#place(peer, expected);
      try {
        return await Member.enter(peer, use.router);
      } catch (error) {
        use.people--;
        this.closeIdle();
        // It died in this very moment, or can't be reached: another one takes it.
        const isTransient = use.router.isClosed || (isUnreachable(error) && use.router.nodeId !== null);
        if (!isTransient || this.#closed || attempt >= enterAttempts) throw error;
        if (use.router.nodeId !== null) this.#maker.avoid(use.router.nodeId);
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
    // Where it can't be told, it has gone with everybody on it.
    void router.removePeer(key).catch(() => undefined);
    this.closeIdle();
  }

  /** Nobody new goes there. */
  isLeaving(router: RoomRouter): boolean {
    return this.#routers.get(router)?.isVacating ?? false;
  }

  /** Nobody new goes to the parts on this node. @returns these parts */
  vacate(nodeId: string): Set<RoomRouter> {
    const vacating = [...this.#routers.values()].filter(({ router }) => router.nodeId === nodeId);
    for (const use of vacating) use.isVacating = true;
    return new Set(vacating.map(({ router }) => router));
  }

  /** A part died; the room has at least one again, as far as that can be. @returns whether it has */
  async replace(dead: RoomRouter): Promise<boolean> {
    this.#routers.delete(dead);
    for (let attempt = 1; this.#routers.size === 0 && !this.#closed; attempt++) {
      try {
        await this.openFirst();
      } catch {
        // The next worker died as well, or none has come back yet.
        if (attempt >= openAttempts) return false;
      }
    }
    return !this.#closed;
  }

  close(): void {
    this.#closed = true;
    for (const router of this.#routers.keys()) router.close();
    this.#routers.clear();
  }

  /** A place that is taken from now on: of those who come in the same moment each finds what the one before has left. */
  async #place(peer: NewMember, expected: number): Promise<RouterInUse> {
    for (;;) {
      const place = this.#choose(peer, expected);
      if (!('opening' in place)) return take(place);
      const { opening, isOwn, otherwise } = place;
      try {
        const use = await opening;
        if (isOwn) return take(use);
      } catch (error) {
        // Where no other can be had, the room grows where it is.
        if (!otherwise || otherwise.router.isClosed) throw error;
        return take(otherwise);
      }
    }
  }

  #choose(peer: NewMember, expected: number): RouterInUse | Opening {
    const payloadTypes = 'payloadTypes' in peer ? peer.payloadTypes : undefined;
    const mapping = payloadTypesOf(payloadTypes);
    const alike = [...this.#routers.values()].filter((use) => use.mapping === mapping);
    const usable = alike.filter(({ isVacating, router }) => !isVacating && !router.isClosed);
    const used = alike.map(({ router }) => router);
    const [first] = usable;
    // A call stays where it is: two people fill no worker, and need no pipes. Programs are few.
    const isMultiparty = 'multiparty' in peer && peer.multiparty;
    if (!isMultiparty && first) return first;
    const open = (make: () => Promise<RoomRouter>): Opening => {
      const isOwn = !this.#opening.has(mapping);
      return { opening: this.#open(mapping, make), isOwn, otherwise: first };
    };
    if (usable.length === 0) return open(() => this.#maker.open(this.#tell, payloadTypes));
    const place = placePeer(
      {
        routers: usable.map((use) => ({ router: use, load: this.#loadOf(use, expected) })),
        workers: this.#maker.workersWithout(used),
        hasOtherNodes: this.#maker.hasNodesWithRoom(used),
      },
      expected,
      this.#maker.limits,
    );
    if (place.kind === 'router') return place.router;
    return open(
      place.kind === 'worker'
        ? () => this.#maker.openOn(place.worker, this.#tell, payloadTypes)
        : () => this.#maker.openElsewhere(this.#roomId, used, this.#tell, payloadTypes),
    );
  }

  /** Whoever is just entering will have consumers, too. */
  #loadOf({ router, entering }: RouterInUse, expected: number): RouterLoad {
    const { consumers, busy } = router.load;
    return { consumers: consumers + entering * expected, busy };
  }

  #open(mapping: string, make: () => Promise<RoomRouter>): Promise<RouterInUse> {
    const there = this.#opening.get(mapping);
    if (there) return there;
    const opening = (async () => {
      if (this.#mappings.size >= mostMappings && !this.#mappings.has(mapping)) throw tooMany();
      const router = await make();
      if (this.#closed) {
        router.close();
        throw new ParleyError('NOT_FOUND', 'The room was closed meanwhile.');
      }
      const use: RouterInUse = { router, mapping, people: 0, entering: 0, isTaken: false, isVacating: false };
      this.#routers.set(router, use);
      return use;
    })().finally(() => this.#opening.delete(mapping));
    this.#opening.set(mapping, opening);
    return opening;
  }

  get #mappings(): Set<string> {
    return new Set([...this.#routers.values()].map(({ mapping }) => mapping));
  }

  /** What nobody is in any more is given back; but the room keeps one, and what others need to get theirs. */
  closeIdle(): void {
    const idle = [...this.#routers.values()].find((use) => this.#isIdle(use));
    if (!idle) return;
    this.#routers.delete(idle.router);
    this.#hooks.onIdle(idle.router);
    idle.router.close();
    // What it got came by way of another, which may be idle too.
    this.closeIdle();
  }

  #isIdle({ router, people, isTaken }: RouterInUse): boolean {
    if (people > 0 || !isTaken || router.isClosed) return false;
    const living = this.all.filter(({ isClosed }) => !isClosed);
    return living.length > 1 && !this.#hooks.isRelaying(router);
  }

  readonly #tell = (router: RoomRouter, event: RouterEvent): void => {
    if (this.#routers.has(router)) this.#hooks.onEvent(router, event);
  };
}

/** From here on somebody is entering it. */
function take(use: RouterInUse): RouterInUse {
  use.people++;
  use.entering++;
  use.isTaken = true;
  return use;
}

const tooMany = () =>
  new ParleyError('SERVICE_UNAVAILABLE', 'Too many kinds of players watch this already.', { retryAfter: 30 });
