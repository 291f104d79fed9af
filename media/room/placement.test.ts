import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { place, type Candidate } from './placement.ts';

const node = (id: string, load: number, more: Partial<Candidate> = {}): Candidate => ({
  id,
  load,
  cpu: load,
  draining: false,
  seenMsAgo: 100,
  ...more,
});
const none = new Map<string, number>();

describe('placement', () => {
  it('chooses the less loaded of two nodes', () => {
    for (const random of [0, 0.3, 0.6, 0.99]) {
      expect(place([node('busy', 0.9), node('idle', 0.1)], none, () => random)).toBe('idle');
    }
  });

  it('chooses by all cores when both have a busy one', () => {
    const nodes = [node('fuller', 0.9, { cpu: 0.8 }), node('emptier', 1, { cpu: 0.3 })];
    for (let round = 0; round < 20; round++) expect(place(nodes, none)).toBe('emptier');
    expect(place([...nodes.slice(1), node('free', 0.84, { cpu: 0.84 })], none)).toBe('free');
  });

  it('counts recent placements that the load does not include yet', () => {
    const nodes = [node('a', 0.5), node('b', 0.52)];
    expect(place(nodes, none)).toBe('a');
    expect(place(nodes, new Map([['a', 3]]))).toBe('b');
  });

  it('ignores draining and silent nodes', () => {
    const nodes = [
      node('leaving', 0, { draining: true }),
      node('silent', 0, { seenMsAgo: 5_001 }),
      node('full', 1),
    ];
    for (let round = 0; round < 20; round++) expect(place(nodes, none)).toBe('full');
    expect(place(nodes.slice(0, 2), none)).toBeNull();
    expect(place([], none)).toBeNull();
  });

  it('never chooses the most loaded of three nodes, and uses all of several equally loaded ones', () => {
    const three = [node('a', 0.1), node('b', 0.2), node('c', 0.3)];
    fc.assert(
      fc.property(fc.infiniteStream(fc.double({ min: 0, max: 0.999_999, noNaN: true })), (stream) => {
        expect(place(three, none, () => stream.next().value as number)).not.toBe('c');
      }),
    );
    const chosen = new Set(
      Array.from({ length: 200 }, () => place([node('a', 0), node('b', 0), node('c', 0)], none)),
    );
    expect([...chosen].sort()).toEqual(['a', 'b', 'c']);
  });
});
