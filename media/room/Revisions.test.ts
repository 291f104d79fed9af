import { expect, it } from 'vitest';
import { Revisions } from './Revisions.ts';

it('refuses memberships below the highest known revision of their identity', () => {
  const revisions = new Revisions();
  revisions.raise({ identity: 'ada', revision: 5 });
  revisions.raise({ identity: 'ada', revision: 3 });
  revisions.raise({ identity: 'ada', revision: undefined });
  expect(revisions.isCurrent({ identity: 'ada', revision: 4 })).toBe(false);
  expect(revisions.isCurrent({ identity: 'ada', revision: 5 })).toBe(true);
  expect(revisions.isCurrent({ identity: 'ada' })).toBe(true);
  expect(revisions.isCurrent({ identity: 'ben', revision: 0 })).toBe(true);
});

it('refuses an earlier join with the same revision', () => {
  const revisions = new Revisions();
  const join = { identity: 'ada', revision: 5 };
  revisions.raise({ ...join, order: 2 });
  revisions.raise(join);
  expect([1, 2, 3].map((order) => revisions.isCurrent({ ...join, order }))).toEqual([false, true, true]);
  expect(revisions.isCurrent(join)).toBe(true);
  expect(revisions.isCurrent({ ...join, revision: 6, order: 1 })).toBe(true);
});

it('remembers the latest identities only', () => {
  const revisions = new Revisions();
  const isOver = (identity: string) => !revisions.isCurrent({ identity, revision: 0 });
  for (let index = 0; index < 20_000; index++) revisions.raise({ identity: `viewer ${index}`, revision: 1 });
  expect(isOver('viewer 0')).toBe(false);
  expect(isOver('viewer 10000')).toBe(true);
  revisions.raise({ identity: 'viewer 10000', revision: 1 });
  revisions.raise({ identity: 'one more', revision: 1 });
  expect(isOver('viewer 10000')).toBe(true);
});
