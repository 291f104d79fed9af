import { randomUUID } from 'node:crypto';
import { Pipes } from './Pipes.ts';
import { chooseParent } from './pipeTree.ts';
import type { RoomRouter } from '../router/RoomRouter.ts';

/** What is to be had in other parts of the room. */
interface Piped {
  producerId: string;
  /** The part its peer is in. */
  home: RoomRouter;
  isPaused: boolean;
  isClosed: boolean;
}

/** A part that a producer is brought to, or was. */
export interface Branch {
  readonly producerId: string;
  /** The producer's name in this part: one that takes the place of another there is not that one. */
  readonly id: string;
  readonly to: RoomRouter;
  /** The part it comes from. */
  parent: RoomRouter;
  /** Consumers can be made of it. */
  isThere: boolean;
  done: Promise<void>;
}

interface Tree {
  readonly home: RoomRouter;
  readonly branches: Map<RoomRouter, Branch>;
  /** Those whose parts get it another way now; they are there until nobody needs them. */
  readonly former: Set<Branch>;
}

/**
 * How what is sent in one part of a room gets to the others: for each producer a tree of pipes (pipeTree.ts), with its home at the root.
 * It grows when a part first wants the producer, once however many want it in the same moment; what fails is forgotten.
 *
 * A part that dies takes along what hangs below it: forget() says what that is, so that it is brought another way. What hangs below one
 * that is about to leave can be brought another way first: renew() makes place for that.
 */
export class PipeTrees {
  readonly #pipes = new Pipes();
  readonly #isLeaving: (router: RoomRouter) => boolean;
  readonly #trees = new Map<string, Tree>();

  /** @param isLeaving whether a part's node is about to leave */
  constructor(isLeaving: (router: RoomRouter) => boolean) {
    this.#isLeaving = isLeaving;
  }

  /**
   * Makes a producer consumable in a part; at once where it is already.
   * @returns what isCurrent() takes
   */
  async bring(piped: Piped, to: RoomRouter): Promise<Branch | null> {
    if (piped.home === to) return null;
    const branch = this.#trees.get(piped.producerId)?.branches.get(to) ?? this.#grow(piped, to);
    await branch.done;
    return branch;
  }

  /** Whether what was brought is still there, and the same. */
  isCurrent({ producerId }: Piped, branch: Branch | null): boolean {
    if (branch === null || this.isFormer(branch)) return true;
    return this.#trees.get(producerId)?.branches.get(branch.to) === branch;
  }

  /** Whether its part is to get the producer another way. */
  isFormer(branch: Branch): boolean {
    return this.#trees.get(branch.producerId)?.former.has(branch) ?? false;
  }

  /** Whether other parts get something by way of this one, though nobody may be in it. */
  isRelaying(router: RoomRouter): boolean {
    return [...this.#trees.values()].some(
      (tree) => tree.home !== router && all(tree).some(({ parent }) => parent === router),
    );
  }

  /** A producer was paused or resumed: what was made of it elsewhere follows. */
  async setPaused({ producerId, isPaused }: Piped): Promise<void> {
    await Promise.all(this.#all(producerId).map(({ to, id }) => to.setProducerPaused(id, isPaused)));
  }

  /** A producer is closed: what was made of it elsewhere is too. */
  async close({ producerId }: Piped): Promise<void> {
    const closed = this.#all(producerId);
    this.#trees.delete(producerId);
    // One that is still on its way is closed when it arrives.
    await Promise.all(closed.map(({ to, id }) => to.closeProducer(id)));
  }

  /**
   * A part is gone.
   * @returns what others had by way of it, which is being taken away there
   */
  forget(router: RoomRouter): { orphaned: Branch[]; cleared: Promise<unknown> } {
    const clearing: Promise<unknown>[] = [this.#pipes.forget(router)];
    const orphaned: Branch[] = [];
    for (const [producerId, tree] of this.#trees) {
      if (tree.home === router) this.#trees.delete(producerId);
      for (const branch of all(tree)) if (branch.to === router) remove(tree, branch);
      // What is still on its way finds out by itself.
      const cut = all(tree).filter((branch) => branch.isThere && isCutOff(tree, branch));
      for (const branch of cut) {
        remove(tree, branch);
        orphaned.push(branch);
        clearing.push(branch.to.closeProducer(branch.id));
      }
    }
    return { orphaned, cleared: Promise.allSettled(clearing) };
  }

  /**
   * Parts are about to leave: what hangs below them can be brought another way from now on, and stays until it is released.
   * @returns what is to be replaced, by distance
   */
  renew(): Branch[] {
    const replaced: Branch[] = [];
    for (const tree of this.#trees.values()) {
      // Who sends it is about to join elsewhere, and sends something new there.
      if (this.#isLeaving(tree.home)) continue;
      const below = [...tree.branches.values()].filter(
        ({ to, parent }) =>
          !this.#isLeaving(to) && wayTo(tree, parent).some((router) => this.#isLeaving(router)),
      );
      for (const branch of below.sort((one, other) => distance(tree, one) - distance(tree, other)))
        replaced.push(branch);
      for (const branch of below) {
        tree.branches.delete(branch.to);
        tree.former.add(branch);
      }
    }
    return replaced;
  }

  /**
   * Takes away what was replaced, where nobody needs it any more, there or below.
   * @returns whether there was any
   */
  release(isUsed: (branch: Branch) => boolean): boolean {
    let released = 0;
    for (const tree of this.#trees.values()) {
      const { former } = tree;
      for (let before = -1; before !== former.size;) {
        before = former.size;
        for (const branch of [...former]) {
          if (isUsed(branch) || [...former].some(({ parent }) => parent === branch.to)) continue;
          former.delete(branch);
          released++;
          // A part that can't be told is about to go.
          branch.to.closeProducer(branch.id).catch(() => undefined);
        }
      }
    }
    return released > 0;
  }

  #all(producerId: string): Branch[] {
    const tree = this.#trees.get(producerId);
    return tree ? all(tree) : [];
  }

  #grow(piped: Piped, to: RoomRouter): Branch {
    const { producerId, home } = piped;
    const tree = this.#trees.get(producerId) ?? newTree(home);
    this.#trees.set(producerId, tree);
    const parent = this.#parentOf(tree, to);
    const id = randomUUID();
    const branch: Branch = { producerId, id, to, parent, isThere: false, done: Promise.resolve() };
    tree.branches.set(to, branch);
    branch.done = this.#carry(piped, tree, branch);
    branch.done.catch(() => remove(tree, branch));
    return branch;
  }

  #parentOf({ home, branches }: Tree, to: RoomRouter): RoomRouter {
    const entry = (router: RoomRouter, parent: RoomRouter | null) => {
      return { router, parent, nodeId: router.nodeId, isLeaving: this.#isLeaving(router) };
    };
    const tree = [entry(home, null), ...[...branches.values()].map((each) => entry(each.to, each.parent))];
    return chooseParent(tree, to.nodeId) ?? home;
  }

  async #carry(piped: Piped, tree: Tree, branch: Branch): Promise<void> {
    const { home } = piped;
    try {
      await this.#send(piped, tree, branch);
    } catch (error) {
      if (branch.parent === home || home.isClosed || branch.to.isClosed) throw error;
      // Another part has let it down: it can be had where it comes from.
      branch.parent = home;
      await this.#send(piped, tree, branch);
    }
    branch.isThere = true;
  }

  async #send(piped: Piped, { branches, former }: Tree, branch: Branch): Promise<void> {
    const { producerId } = piped;
    const { id, parent, to } = branch;
    const above = branches.get(parent);
    await above?.done;
    const pipeId = await this.#pipes.between(parent, to);
    const sent = await parent.sendOverPipe(pipeId, above?.id ?? producerId);
    await to.takeFromPipe(pipeId, { ...sent, producerId: id });
    if (piped.isClosed) await to.closeProducer(id);
    else if (piped.isPaused !== sent.paused) await to.setProducerPaused(id, piped.isPaused);
    if (branches.get(parent) === above || (above && former.has(above))) return;
    await to.closeProducer(id);
    throw new Error('The part it came from has gone in this very moment.');
  }
}

const newTree = (home: RoomRouter): Tree => ({ home, branches: new Map(), former: new Set() });

const all = ({ branches, former }: Tree): Branch[] => [...branches.values(), ...former];

function remove({ branches, former }: Tree, branch: Branch): void {
  former.delete(branch);
  if (branches.get(branch.to) === branch) branches.delete(branch.to);
}

/** By what a branch comes from its parent: one that was replaced, by others that were. */
function branchAbove({ branches, former }: Tree, branch: Branch): Branch | undefined {
  const replaced = former.has(branch) ? [...former].find(({ to }) => to === branch.parent) : undefined;
  return replaced ?? branches.get(branch.parent);
}

/** Whether it hangs below a part that is not in the tree any more. */
function isCutOff(tree: Tree, branch: Branch): boolean {
  if (branch.parent === tree.home) return false;
  const above = branchAbove(tree, branch);
  return !above || isCutOff(tree, above);
}

/** The parts a producer passes on its way to this one, which is the first. */
function wayTo({ branches }: Tree, router: RoomRouter): RoomRouter[] {
  const way: RoomRouter[] = [];
  for (let at: RoomRouter | undefined = router; at; at = branches.get(at)?.parent) way.push(at);
  return way;
}

const distance = (tree: Tree, { to }: Branch): number => wayTo(tree, to).length;
