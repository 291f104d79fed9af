import { ParleyError } from '../../sdk/protocol/errors.ts';
import { Member, type NewMember } from './Member.ts';
import { isUnreachable } from '../router/unreachable.ts';
import { numberingOf } from '../router/payloadTypes.ts';
import type { PartMaker } from './RouterFactory.ts';
import { placePeer } from './routerPlacement.ts';
import type { PartLoad, PartNews, RoomPart } from '../router/RoomRouter.ts';

interface PartInUse {
  part: RoomPart;
  /** Under which payload types it sends (numberedCodecs.ts). */
  numbering: string;
  /** Members, and those who are just entering. */
  people: number;
  entering: number;
  /** Somebody has been in it, or is just entering. */
  isTaken: boolean;
  isVacating: boolean;
}

/** A part that is being made. */
interface Opening {
  opening: Promise<PartInUse>;
  /** For this one; somebody else's is looked at anew when it is there. */
  isOwn: boolean;
  otherwise: PartInUse | undefined;
}

interface RoomPartsHooks {
  onNews: (part: RoomPart, news: PartNews) => void;
  /** Nobody was in it any more. */
  onIdle: (part: RoomPart) => void;
  /** Others get something by way of it. */
  isRelaying: (part: RoomPart) => boolean;
}

const enterAttempts = 4;
const openAttempts = 5;

/** Nobody may make a room of as many routers as there are numbers. */
const mostNumberings = 64;

/** The parts of one room: one, until that is full; and one more for devices that have chosen other payload types. */
export class RoomParts {
  readonly #roomId: string;
  readonly #maker: PartMaker;
  readonly #hooks: RoomPartsHooks;
  readonly #parts = new Map<RoomPart, PartInUse>();
  /** Parts that are being made, by numbering: whoever needs one meanwhile waits for it. */
  readonly #opening = new Map<string, Promise<PartInUse>>();
  #closed = false;

  constructor(roomId: string, maker: PartMaker, hooks: RoomPartsHooks) {
    this.#roomId = roomId;
    this.#maker = maker;
    this.#hooks = hooks;
  }

  get all(): RoomPart[] {
    return [...this.#parts.keys()];
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
        return await Member.enter(peer, use.part);
      } catch (error) {
        use.people--;
        this.closeIdle();
        // It died in this very moment, or can't be reached: another one takes it.
        const isPassing = use.part.isClosed || (isUnreachable(error) && use.part.nodeId !== null);
        if (!isPassing || this.#closed || attempt >= enterAttempts) throw error;
        if (use.part.nodeId !== null) this.#maker.avoid(use.part.nodeId);
        use.isVacating = true;
      } finally {
        use.entering--;
      }
    }
  }

  leave({ part, key }: Member): void {
    const use = this.#parts.get(part);
    if (!use) return;
    use.people--;
    // Where it can't be told, it has gone with everybody on it.
    void part.removePeer(key).catch(() => undefined);
    this.closeIdle();
  }

  /** Nobody new goes there. */
  isLeaving(part: RoomPart): boolean {
    return this.#parts.get(part)?.isVacating ?? false;
  }

  /** Nobody new goes to the parts on this node. @returns these parts */
  vacate(nodeId: string): Set<RoomPart> {
    const vacating = [...this.#parts.values()].filter(({ part }) => part.nodeId === nodeId);
    for (const use of vacating) use.isVacating = true;
    return new Set(vacating.map(({ part }) => part));
  }

  /** A part died; the room has at least one again, as far as that can be. @returns whether it has */
  async replace(dead: RoomPart): Promise<boolean> {
    this.#parts.delete(dead);
    for (let attempt = 1; this.#parts.size === 0 && !this.#closed; attempt++) {
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
    for (const part of this.#parts.keys()) part.close();
    this.#parts.clear();
  }

  /** A place that is taken from now on: of those who come in the same moment each finds what the one before has left. */
  async #place(peer: NewMember, expected: number): Promise<PartInUse> {
    for (;;) {
      const place = this.#choose(peer, expected);
      if (!('opening' in place)) return take(place);
      const { opening, isOwn, otherwise } = place;
      try {
        const use = await opening;
        if (isOwn) return take(use);
      } catch (error) {
        // Where no other can be had, the room grows where it is.
        if (!otherwise || otherwise.part.isClosed) throw error;
        return take(otherwise);
      }
    }
  }

  #choose(peer: NewMember, expected: number): PartInUse | Opening {
    const payloadTypes = 'payloadTypes' in peer ? peer.payloadTypes : undefined;
    const numbering = numberingOf(payloadTypes);
    const alike = [...this.#parts.values()].filter((use) => use.numbering === numbering);
    const usable = alike.filter(({ isVacating, part }) => !isVacating && !part.isClosed);
    const used = alike.map(({ part }) => part);
    const [first] = usable;
    // A call stays where it is: two people fill no worker, and need no pipes. Programs are few.
    const isCrowd = 'crowd' in peer && peer.crowd;
    if (!isCrowd && first) return first;
    const open = (make: () => Promise<RoomPart>): Opening => {
      const isOwn = !this.#opening.has(numbering);
      return { opening: this.#open(numbering, make), isOwn, otherwise: first };
    };
    if (usable.length === 0) return open(() => this.#maker.open(this.#tell, payloadTypes));
    const place = placePeer(
      {
        parts: usable.map((use) => ({ part: use, load: this.#loadOf(use, expected) })),
        workers: this.#maker.workersWithout(used),
        hasOtherNodes: this.#maker.hasNodesWithRoom(used),
      },
      expected,
      this.#maker.limits,
    );
    if (place.kind === 'part') return place.part;
    return open(
      place.kind === 'worker'
        ? () => this.#maker.openOn(place.worker, this.#tell, payloadTypes)
        : () => this.#maker.openElsewhere(this.#roomId, used, this.#tell, payloadTypes),
    );
  }

  /** Whoever is just entering will have consumers, too. */
  #loadOf({ part, entering }: PartInUse, expected: number): PartLoad {
    const { consumers, busy } = part.load;
    return { consumers: consumers + entering * expected, busy };
  }

  #open(numbering: string, make: () => Promise<RoomPart>): Promise<PartInUse> {
    const there = this.#opening.get(numbering);
    if (there) return there;
    const opening = (async () => {
      if (this.#numberings.size >= mostNumberings && !this.#numberings.has(numbering)) throw tooMany();
      const part = await make();
      if (this.#closed) {
        part.close();
        throw new ParleyError('NOT_FOUND', 'The room was closed meanwhile.');
      }
      const use: PartInUse = { part, numbering, people: 0, entering: 0, isTaken: false, isVacating: false };
      this.#parts.set(part, use);
      return use;
    })().finally(() => this.#opening.delete(numbering));
    this.#opening.set(numbering, opening);
    return opening;
  }

  get #numberings(): Set<string> {
    return new Set([...this.#parts.values()].map(({ numbering }) => numbering));
  }

  /** What nobody is in any more is given back; but the room keeps one, and what others need to get theirs. */
  closeIdle(): void {
    const idle = [...this.#parts.values()].find((use) => this.#isIdle(use));
    if (!idle) return;
    this.#parts.delete(idle.part);
    this.#hooks.onIdle(idle.part);
    idle.part.close();
    // What it got came by way of another, which may be idle too.
    this.closeIdle();
  }

  #isIdle({ part, people, isTaken }: PartInUse): boolean {
    if (people > 0 || !isTaken || part.isClosed) return false;
    const living = this.all.filter(({ isClosed }) => !isClosed);
    return living.length > 1 && !this.#hooks.isRelaying(part);
  }

  readonly #tell = (part: RoomPart, news: PartNews): void => {
    if (this.#parts.has(part)) this.#hooks.onNews(part, news);
  };
}

/** From here on somebody is entering it. */
function take(use: PartInUse): PartInUse {
  use.people++;
  use.entering++;
  use.isTaken = true;
  return use;
}

const tooMany = () =>
  new ParleyError('SERVICE_UNAVAILABLE', 'Too many kinds of players watch this already.', { retryAfter: 30 });
