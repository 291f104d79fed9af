import { randomUUID } from 'node:crypto';
import { Pipes } from './Pipes.ts';
import { chooseParent } from './pipeTree.ts';
import type { RoomRouter } from '../router/RoomRouter.ts';

/** A producer that other routers of the room may receive. */
interface Piped {
  producerId: string;
  /** The router of its publisher. */
  home: RoomRouter;
  isPaused: boolean;
  isClosed: boolean;
}

/** A router that receives a producer over a pipe. */
export interface Branch {
  readonly producerId: string;
  /**
   * The producer's id on the router `to`, final once `done`. It is new for each branch and each parent, so that a replacement is not confused
   * with its predecessor.
   */
  id: string;
  readonly to: RoomRouter;
  /** The router from which it receives the producer. */
  parent: RoomRouter;
  /** Whether consumers can be created from it. */
  isThere: boolean;
  done: Promise<void>;
}

interface Tree {
  readonly home: RoomRouter;
  readonly branches: Map<RoomRouter, Branch>;
  /** Branches that were replaced and stay until they are unused. */
  readonly former: Set<Branch>;
  /**
   * Copies that may or may not exist, because creating them failed: only the answer may have been lost. By their router and the id of what
   * they are a copy of.
   */
  readonly uncertain: Map<string, Pick<Branch, 'to' | 'id'>>;
}

/**
 * Carries producers between the routers of a room. For each producer there is a tree of pipes (pipeTree.ts) with its home router at the
 * root. A branch is created when a router first needs the producer; concurrent requests share it, and failed ones are removed.
 *
 * When a router dies, all branches below it are lost. forget() returns them, so that they can be created again. Before a router leaves,
 * renew() returns the branches below it, so that they can be replaced.
 */
export class PipeTrees {
  readonly #pipes = new Pipes();
  readonly #isLeaving: (router: RoomRouter) => boolean;
  readonly #trees = new Map<string, Tree>();

  /** @param isLeaving whether a router's node is draining */
  constructor(isLeaving: (router: RoomRouter) => boolean) {
    this.#isLeaving = isLeaving;
  }

  /**
   * Makes a producer consumable on a router. Returns immediately if it already is.
   * @returns the branch to pass to isCurrent(); null on the home router
   */
  async bring(piped: Piped, to: RoomRouter): Promise<Branch | null> {
    if (piped.home === to) return null;
    const branch = this.#trees.get(piped.producerId)?.branches.get(to) ?? this.#grow(piped, to);
    await branch.done;
    return branch;
  }

  /** Whether the branch is still in use. */
  isCurrent({ producerId }: Piped, branch: Branch | null): boolean {
    if (branch === null || this.isFormer(branch)) return true;
    return this.#trees.get(producerId)?.branches.get(branch.to) === branch;
  }

  /** Whether the branch has been or is being replaced. */
  isFormer(branch: Branch): boolean {
    return this.#trees.get(branch.producerId)?.former.has(branch) ?? false;
  }

  /** How many pipes each branch is away from its publisher's router. */
  get depths(): number[] {
    return [...this.#trees.values()].flatMap((tree) =>
      [...tree.branches.values()].map((each) => distance(tree, each) - 1),
    );
  }

  /** Whether other routers receive media through this one, which may itself have no members. */
  isRelaying(router: RoomRouter): boolean {
    return [...this.#trees.values()].some(
      (tree) => tree.home !== router && all(tree).some(({ parent }) => parent === router),
    );
  }

  /** Pauses or resumes the piped copies of a producer. */
  async setPaused({ producerId, isPaused }: Piped): Promise<void> {
    await Promise.all(
      this.#all(producerId).map(({ to, id }) => to.setProducerPaused({ producerId: id, paused: isPaused })),
    );
  }

  /** Closes the piped copies of a producer. */
  async close({ producerId }: Piped): Promise<void> {
    const uncertain = this.#trees.get(producerId)?.uncertain.values() ?? [];
    const closed = [...this.#all(producerId), ...uncertain];
    this.#trees.delete(producerId);
    // A branch that is still opening closes its copy when it is done.
    await Promise.all(closed.map(({ to, id }) => to.closeProducer({ producerId: id })));
  }

  /**
   * Removes a router that is gone.
   * @returns the branches that were lost below it; `cleared` resolves when their copies are closed
   */
  forget(router: RoomRouter): { orphaned: Branch[]; cleared: Promise<unknown> } {
    const clearing: Promise<unknown>[] = [this.#pipes.forget(router)];
    const orphaned: Branch[] = [];
    for (const [producerId, tree] of this.#trees) {
      if (tree.home === router) this.#trees.delete(producerId);
      for (const branch of all(tree)) if (branch.to === router) remove(tree, branch);
      for (const [key, { to }] of tree.uncertain) if (to === router) tree.uncertain.delete(key);
      // Branches that are still opening fail by themselves: see #send().
      const cut = all(tree).filter((branch) => branch.isThere && isCutOff(tree, branch));
      for (const branch of cut) {
        remove(tree, branch);
        orphaned.push(branch);
        clearing.push(branch.to.closeProducer({ producerId: branch.id }));
      }
    }
    return { orphaned, cleared: Promise.allSettled(clearing) };
  }

  /**
   * Moves the branches below routers that are about to leave to `former`, where they stay until released, so that bring() creates new ones
   * on another path.
   * @returns the branches to replace, the nearest to the root first
   */
  renew(): Branch[] {
    const replaced: Branch[] = [];
    for (const tree of this.#trees.values()) {
      // The publisher is about to join on another node and will send a new producer.
      if (this.#isLeaving(tree.home)) continue;
      const below = [...tree.branches.values()].filter(
        ({ to, parent }) =>
          !this.#isLeaving(to) && pathTo(tree, parent).some((router) => this.#isLeaving(router)),
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
   * Closes replaced branches that are used neither on their router nor on a router below it.
   * @returns whether any was closed
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
          // A router that does not answer is about to close.
          branch.to.closeProducer({ producerId: branch.id }).catch(() => undefined);
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
    branch.done = this.#open(piped, tree, branch);
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

  async #open(piped: Piped, tree: Tree, branch: Branch): Promise<void> {
    const { home } = piped;
    try {
      await this.#send(piped, tree, branch);
    } catch (error) {
      if (branch.parent === home || home.isClosed || branch.to.isClosed) throw error;
      // The parent has failed. The home router always has the producer. A copy from the former parent is not needed.
      branch.to.closeProducer({ producerId: branch.id }).catch(() => undefined);
      branch.id = randomUUID();
      branch.parent = home;
      await this.#send(piped, tree, branch);
    }
    branch.isThere = true;
  }

  async #send(piped: Piped, { branches, former, uncertain }: Tree, branch: Branch): Promise<void> {
    const { parent, to } = branch;
    const above = branches.get(parent);
    await above?.done;
    const pipeId = await this.#pipes.between(parent, to);
    const source = above?.id ?? piped.producerId;
    const sent = await parent.sendOverPipe({ pipeId, producerId: source });
    // If the copy exists, taking it again has no effect. Another one with the same packets would be refused.
    const key = `${to.id} ${source}`;
    const there = uncertain.get(key);
    uncertain.delete(key);
    const id = (branch.id = there?.id ?? branch.id);
    try {
      await to.takeFromPipe({ pipeId, producer: { ...sent, producerId: id } });
      if (piped.isClosed) await to.closeProducer({ producerId: id });
      else if (there || piped.isPaused !== sent.paused)
        await to.setProducerPaused({ producerId: id, paused: piped.isPaused });
      if (branches.get(parent) === above || (above && former.has(above))) return;
      await to.closeProducer({ producerId: id });
      throw new Error('The parent router closed while the producer was being piped.');
    } catch (error) {
      if (!to.isClosed) uncertain.set(key, { to, id });
      throw error;
    }
  }
}

const newTree = (home: RoomRouter): Tree => ({
  home,
  branches: new Map(),
  former: new Set(),
  uncertain: new Map(),
});

const all = ({ branches, former }: Tree): Branch[] => [...branches.values(), ...former];

function remove({ branches, former }: Tree, branch: Branch): void {
  former.delete(branch);
  if (branches.get(branch.to) === branch) branches.delete(branch.to);
}

/** The branch that delivers to this branch's parent. For a replaced branch, a replaced one is preferred. */
function branchAbove({ branches, former }: Tree, branch: Branch): Branch | undefined {
  const replaced = former.has(branch) ? [...former].find(({ to }) => to === branch.parent) : undefined;
  return replaced ?? branches.get(branch.parent);
}

/** Whether a router above the branch is no longer in the tree. */
function isCutOff(tree: Tree, branch: Branch): boolean {
  if (branch.parent === tree.home) return false;
  const above = branchAbove(tree, branch);
  return !above || isCutOff(tree, above);
}

/** The routers from this one up to the home router. */
function pathTo({ branches }: Tree, router: RoomRouter): RoomRouter[] {
  const way: RoomRouter[] = [];
  for (let at: RoomRouter | undefined = router; at; at = branches.get(at)?.parent) way.push(at);
  return way;
}

const distance = (tree: Tree, { to }: Branch): number => pathTo(tree, to).length;
