import { describe, expect, it } from 'vitest';
import { chooseParent, maxFar, maxNear, type TreeRouter } from './pipeTree.ts';

/** Routers are named by node and number: `b2` is on node b. */
const nodeOf = (router: string) => router.slice(0, 1);
const entry = (router: string, parent: string | null = null, isLeaving = false): TreeRouter<string> => ({
  router,
  parent,
  nodeId: nodeOf(router),
  isLeaving,
});

/** Adds routers to the tree, one after another. */
function grow(names: string[], from = [entry('a1')]): TreeRouter<string>[] {
  const tree = [...from];
  for (const name of names) tree.push(entry(name, chooseParent(tree, nodeOf(name))));
  return tree;
}

const depths = (tree: TreeRouter<string>[]): number[] =>
  tree.map((each) => {
    let depth = 0;
    for (let above = each; above.parent; depth++)
      above = tree.find(({ router }) => router === above.parent) as TreeRouter<string>;
    return depth;
  });

describe('the parent of a router', () => {
  it('is the root for the first router of each node', () => {
    expect(grow(['a2', 'b1', 'c1']).map(({ parent }) => parent)).toEqual([null, 'a1', 'a1', 'a1']);
  });

  it('is on the same node if possible, so that each node receives the producer once', () => {
    const tree = grow(['b1', 'b2', 'b3', 'c1', 'c2']);
    expect(tree.map(({ parent }) => parent)).toEqual([null, 'a1', 'b1', 'b1', 'a1', 'c1']);
  });

  it('has a bounded number of children, which in turn become parents', () => {
    const nodes = Array.from({ length: 24 }, (_, index) => `${String.fromCharCode(98 + index)}1`);
    const tree = grow(nodes);
    for (const { router } of tree)
      expect(tree.filter(({ parent }) => parent === router).length).toBeLessThanOrEqual(maxFar);
    expect(Math.max(...depths(tree.slice(0, 21)))).toBe(2);
    expect(Math.max(...depths(tree))).toBe(3);
    // Evenly: no router has several children while another one at the same depth has none.
    const second = tree.slice(1, 5).map(({ router }) => router);
    const counts = second.map((router) => tree.slice(0, 9).filter(({ parent }) => parent === router).length);
    expect(counts).toEqual([1, 1, 1, 1]);
  });

  it('counts children on its own node and on other nodes separately', () => {
    const tree = grow(['b1', 'c1', 'd1', 'e1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'f1']);
    expect(tree.filter(({ parent }) => parent === 'a1')).toHaveLength(maxFar + maxNear);
    expect(tree.find(({ router }) => router === 'a7')?.parent).toBe('a2');
    // The nearest free router, on any node.
    expect(tree.find(({ router }) => router === 'f1')?.parent).toBe('b1');
  });

  it('keeps 24 workers of a node within two hops of the first', () => {
    const tree = grow(Array.from({ length: 23 }, (_, index) => `a${index + 2}`));
    expect(Math.max(...depths(tree))).toBe(2);
  });

  it('is not leaving, unless there is no other router', () => {
    const leaving = [entry('a1', null, true), entry('b1', 'a1')];
    expect(chooseParent(leaving, 'c')).toBe('b1');
    expect(chooseParent(leaving, 'a')).toBe('a1');
    expect(chooseParent([entry('a1', null, true)], 'b')).toBe('a1');
  });

  it('is found by looking at each router a constant number of times', () => {
    let looks = 0;
    const looksOf = (size: number) => {
      looks = 0;
      const tree = grow(Array.from({ length: size }, (_, index) => `${String.fromCharCode(200 + index)}1`));
      const watched = tree.map((each) => ({
        ...each,
        get parent() {
          looks++;
          return each.parent;
        },
      }));
      chooseParent(watched, '0');
      return looks;
    };
    expect(looksOf(400)).toBeLessThan(5 * looksOf(100));
  });

  it('is undefined for an empty tree', () => {
    expect(chooseParent([], 'a')).toBeUndefined();
  });
});
