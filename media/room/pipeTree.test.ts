import { describe, expect, it } from 'vitest';
import { chooseParent, maxChildren, type TreeRouter } from './pipeTree.ts';

/** A part is called by its node and its number: `b2` is on node b. */
const nodeOf = (router: string) => router.slice(0, 1);
const entry = (router: string, parent: string | null = null, isLeaving = false): TreeRouter<string> => ({
  router,
  parent,
  nodeId: nodeOf(router),
  isLeaving,
});

/** Lets these take it, one after the other. */
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

describe('the router that another one receives a producer from', () => {
  it('is the home of what it sends, for the first of each node', () => {
    expect(grow(['a2', 'b1', 'c1']).map(({ parent }) => parent)).toEqual([null, 'a1', 'a1', 'a1']);
  });

  it('is on the same node where that has it, so that a node is sent it once', () => {
    const tree = grow(['b1', 'b2', 'b3', 'c1', 'c2']);
    expect(tree.map(({ parent }) => parent)).toEqual([null, 'a1', 'b1', 'b1', 'a1', 'c1']);
  });

  it('sends to so many and no more, and the others hang below these', () => {
    const nodes = Array.from({ length: 24 }, (_, index) => `${String.fromCharCode(98 + index)}1`);
    const tree = grow(nodes);
    for (const { router } of tree)
      expect(tree.filter(({ parent }) => parent === router).length).toBeLessThanOrEqual(maxChildren);
    expect(Math.max(...depths(tree.slice(0, 21)))).toBe(2);
    expect(Math.max(...depths(tree))).toBe(3);
    // Evenly: nobody sends to four while another of the same distance sends to none.
    const second = tree.slice(1, 5).map(({ router }) => router);
    const counts = second.map((router) => tree.slice(0, 9).filter(({ parent }) => parent === router).length);
    expect(counts).toEqual([1, 1, 1, 1]);
  });

  it('counts its own node’s parts and other nodes for themselves', () => {
    const tree = grow(['b1', 'c1', 'd1', 'e1', 'a2', 'a3', 'a4', 'a5', 'a6', 'f1']);
    expect(tree.filter(({ parent }) => parent === 'a1')).toHaveLength(2 * maxChildren);
    expect(tree.find(({ router }) => router === 'a6')?.parent).toBe('a2');
    // Over the nearest that is free, whichever node that is on.
    expect(tree.find(({ router }) => router === 'f1')?.parent).toBe('b1');
  });

  it('is none that is about to leave, unless there is no other', () => {
    const leaving = [entry('a1', null, true), entry('b1', 'a1')];
    expect(chooseParent(leaving, 'c')).toBe('b1');
    expect(chooseParent(leaving, 'a')).toBe('a1');
    expect(chooseParent([entry('a1', null, true)], 'b')).toBe('a1');
  });

  it('is none of nobody’s', () => {
    expect(chooseParent([], 'a')).toBeUndefined();
  });
});
