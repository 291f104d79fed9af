import { Pipes } from './Pipes.ts';
import { chooseParent } from './pipeTree.ts';
import type { RoomPart } from './RoomPart.ts';

/** What is to be had in other parts of the room. */
interface Piped {
  producerId: string;
  /** The part its peer is in. */
  home: RoomPart;
  isPaused: boolean;
  isClosed: boolean;
}

/** A part that a producer is brought to, or was. */
export interface Branch {
  readonly to: RoomPart;
  /** The part it comes from. */
  parent: RoomPart;
  /** Consumers can be made of it. */
  isThere: boolean;
  done: Promise<void>;
}

interface Tree {
  readonly home: RoomPart;
  readonly branches: Map<RoomPart, Branch>;
}

/** What came by way of a part that is gone, and where it is missing now. */
interface Orphaned {
  producerId: string;
  part: RoomPart;
}

/**
 * How what is sent in one part of a room gets to the others: for each producer a tree of pipes (pipeTree.ts), with its home at the root.
 * It grows when a part first wants the producer, once however many want it in the same moment; what fails is forgotten.
 *
 * A part that dies takes along what hangs below it: forget() says what that is, so that it is brought another way.
 */
export class PipeTrees {
  readonly #pipes = new Pipes();
  readonly #isLeaving: (part: RoomPart) => boolean;
  readonly #trees = new Map<string, Tree>();
  /** What is being taken away, by producer and part: nothing of the same comes there before that is done. */
  readonly #clearing = new Map<string, Promise<unknown>>();

  /** @param isLeaving whether a part's node is about to leave */
  constructor(isLeaving: (part: RoomPart) => boolean) {
    this.#isLeaving = isLeaving;
  }

  /**
   * Makes a producer consumable in a part; at once where it is already.
   * @returns what isCurrent() takes
   */
  async bring(piped: Piped, to: RoomPart): Promise<Branch | null> {
    if (piped.home === to) return null;
    const branch = this.#trees.get(piped.producerId)?.branches.get(to) ?? this.#grow(piped, to);
    await branch.done;
    return branch;
  }

  /** Whether what was brought is still there, and the same. */
  isCurrent({ producerId }: Piped, branch: Branch | null): boolean {
    return branch === null || this.#trees.get(producerId)?.branches.get(branch.to) === branch;
  }

  /** Whether other parts get something by way of this one, though nobody may be in it. */
  isRelaying(part: RoomPart): boolean {
    return [...this.#trees.values()].some(
      ({ home, branches }) => home !== part && [...branches.values()].some(({ parent }) => parent === part),
    );
  }

  /** A producer was paused or resumed: what was made of it elsewhere follows. */
  async setPaused({ producerId, isPaused }: Piped): Promise<void> {
    const parts = this.#trees.get(producerId)?.branches.keys() ?? [];
    await Promise.all([...parts].map((part) => part.setProducerPaused(producerId, isPaused)));
  }

  /** A producer is closed: what was made of it elsewhere is too. */
  async close({ producerId }: Piped): Promise<void> {
    const parts = this.#trees.get(producerId)?.branches.keys() ?? [];
    this.#trees.delete(producerId);
    // One that is still on its way is closed when it arrives.
    await Promise.all([...parts].map((part) => part.closeProducer(producerId)));
  }

  /**
   * A part is gone.
   * @returns what others had by way of it, once it is taken away there
   */
  forget(part: RoomPart): { orphaned: Orphaned[]; cleared: Promise<unknown> } {
    const closing: Promise<unknown> = this.#pipes.forget(part);
    const orphaned: Orphaned[] = [];
    const clearing = [closing];
    for (const [producerId, { home, branches }] of this.#trees) {
      if (home === part) this.#trees.delete(producerId);
      branches.delete(part);
      for (const { to } of cutOff(home, branches)) {
        branches.delete(to);
        orphaned.push({ producerId, part: to });
        clearing.push(this.#clear(producerId, to, closing));
      }
    }
    return { orphaned, cleared: Promise.all(clearing) };
  }

  /** With it goes what is made of it there, and sent on. */
  async #clear(producerId: string, part: RoomPart, closing: Promise<unknown>): Promise<void> {
    const key = keyOf(producerId, part);
    const done = Promise.allSettled([closing, part.closeProducer(producerId)]);
    this.#clearing.set(key, done);
    await done;
    if (this.#clearing.get(key) === done) this.#clearing.delete(key);
  }

  #grow(piped: Piped, to: RoomPart): Branch {
    const { producerId, home } = piped;
    const tree = this.#trees.get(producerId) ?? { home, branches: new Map<RoomPart, Branch>() };
    this.#trees.set(producerId, tree);
    const parent = this.#parentOf(tree, to);
    const branch: Branch = { to, parent, isThere: false, done: Promise.resolve() };
    tree.branches.set(to, branch);
    branch.done = this.#carry(piped, tree, branch);
    branch.done.catch(() => {
      if (tree.branches.get(to) === branch) tree.branches.delete(to);
    });
    return branch;
  }

  #parentOf({ home, branches }: Tree, to: RoomPart): RoomPart {
    const entry = (part: RoomPart, parent: RoomPart | null) => {
      return { part, parent, nodeId: part.nodeId, isLeaving: this.#isLeaving(part) };
    };
    const tree = [entry(home, null), ...[...branches.values()].map((each) => entry(each.to, each.parent))];
    return chooseParent(tree, to.nodeId) ?? home;
  }

  async #carry(piped: Piped, tree: Tree, branch: Branch): Promise<void> {
    const { home, producerId } = piped;
    const { to } = branch;
    await this.#clearing.get(keyOf(producerId, to));
    try {
      await this.#send(piped, tree, branch);
    } catch (error) {
      if (branch.parent === home || home.isClosed || to.isClosed) throw error;
      // Another part has let it down: it can be had where it comes from.
      branch.parent = home;
      await this.#send(piped, tree, branch);
    }
    branch.isThere = true;
  }

  async #send(piped: Piped, { branches }: Tree, { parent, to }: Branch): Promise<void> {
    const { producerId } = piped;
    const above = branches.get(parent);
    await above?.done;
    const pipeId = await this.#pipes.between(parent, to);
    const sent = await parent.sendOverPipe(pipeId, producerId);
    await to.takeFromPipe(pipeId, sent);
    if (piped.isClosed) await to.closeProducer(producerId);
    else if (piped.isPaused !== sent.paused) await to.setProducerPaused(producerId, piped.isPaused);
    if (branches.get(parent) === above) return;
    await to.closeProducer(producerId);
    throw new Error('The part it came from has gone in this very moment.');
  }
}

/** What hangs below a part that is not in the tree any more. What is still on its way finds out by itself. */
function cutOff(home: RoomPart, branches: ReadonlyMap<RoomPart, Branch>): Branch[] {
  const isCut = ({ parent }: Branch): boolean => {
    if (parent === home) return false;
    const above = branches.get(parent);
    return !above || isCut(above);
  };
  return [...branches.values()].filter((branch) => branch.isThere && isCut(branch));
}

const keyOf = (producerId: string, to: RoomPart) => `${producerId} ${to.id}`;
