import type { Participant } from '@parley/sdk';
import { expect, it } from 'vitest';
import { assignByHand, assignEvenly } from './assignBreakouts.ts';

const people = ['a', 'b', 'c', 'd', 'e'].map(
  (id) => ({ id, role: id === 'a' ? 'host' : 'participant' }) as Participant,
);

it('distributes everybody but the hosts evenly', () => {
  expect(assignEvenly(['One', 'Two', 'Three'], people)).toEqual([
    { name: 'One', participantIds: ['b', 'e'] },
    { name: 'Two', participantIds: ['c'] },
    { name: 'Three', participantIds: ['d'] },
  ]);
});

it('assigns by hand, without those who have left or whose room was taken away', () => {
  const chosen = new Map([
    ['b', 1],
    ['gone', 0],
    ['c', 5],
  ]);
  expect(assignByHand(['One', 'Two'], people, chosen)).toEqual([
    { name: 'One', participantIds: [] },
    { name: 'Two', participantIds: ['b'] },
  ]);
});
