import { expect, it } from 'vitest';
import { loadOf, PeerLoads } from './PeerLoads.ts';

const member = { multiparty: true };
const viewer = { multiparty: true, isViewer: true };

function sumOf(limit = 400) {
  const sum = { total: 0 };
  return { loads: new PeerLoads(limit, (by) => (sum.total += by)), sum };
}

it('counts the consumers of a peer with many as small videos, and forgets closed ones', () => {
  const { loads, sum } = sumOf();
  loads.add('many', member);
  loads.addConsumers('many', 20);
  expect(sum.total).toBe(20);
  loads.addConsumers('many', 60);
  expect(sum.total).toBe(80 / 5);
  loads.addConsumers('many', -60);
  expect(sum.total).toBe(20);
  loads.remove('many');
  expect(sum.total).toBe(0);
  loads.addConsumers('many', -20);
  expect(sum.total).toBe(0);
});

it('counts what a peer will receive while it receives less', () => {
  const { loads, sum } = sumOf();
  loads.add('member', member);
  loads.add('viewer', viewer);
  loads.add('caller', { multiparty: false });
  expect(sum.total).toBe(12 + 2 + 2);
  loads.addConsumers('member', 8);
  loads.addConsumers('viewer', 2);
  expect(sum.total).toBe(12 + 2 + 2);
  // A room that shows large videos may grow by half.
  loads.addConsumers('member', 2);
  expect(sum.total).toBe(15 + 2 + 2);
  loads.addConsumers('member', 8);
  loads.addConsumers('viewer', 1);
  expect(sum.total).toBe(20 + 3 + 2);
  loads.clear();
  expect(sum.total).toBe(0);
});

it('lets thirty silent people on a worker with a low limit', () => {
  expect(30 * loadOf(member, 0, 60)).toBeCloseTo(60);
  expect(30 * loadOf(viewer, 0, 15)).toBeCloseTo(15);
});
