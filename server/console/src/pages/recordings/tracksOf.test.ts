import type { Recording } from '@parley/sdk';
import { expect, it } from 'vitest';
import { tracksOf } from './tracksOf.ts';

const [own, other] = [
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
] as const;

const file = (id: string, walletAddress: typeof own | typeof other, startSeconds: number, isScreen = false) =>
  ({ id, walletAddress, startSeconds, isScreen }) as unknown as Recording['files'][number];

it('joins the files of a participant and of a screen to one film each, in their order', () => {
  const files = [file('c', own, 60), file('b', own, 20, true), file('d', other, 5), file('a', own, 0)];
  const tracks = tracksOf({ kind: 'conference', files }, { own, nameOf: () => 'Ben' });
  expect(tracks.map(({ label, files: parts }) => [label, parts.map(({ id }) => id)])).toEqual([
    ['You', ['a', 'c']],
    ['Ben', ['d']],
    ['Your screen', ['b']],
  ]);
});
