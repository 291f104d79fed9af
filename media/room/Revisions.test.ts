import { expect, it } from 'vitest';
import { Revisions } from './Revisions.ts';

it('refuses memberships below the highest known revision of their identity', () => {
  const revisions = new Revisions();
  revisions.raise('ada', 5);
  revisions.raise('ada', 3);
  revisions.raise('ada', undefined);
  expect(revisions.isCurrent({ identity: 'ada', revision: 4 })).toBe(false);
  expect(revisions.isCurrent({ identity: 'ada', revision: 5 })).toBe(true);
  expect(revisions.isCurrent({ identity: 'ada' })).toBe(true);
  expect(revisions.isCurrent({ identity: 'ben', revision: 0 })).toBe(true);
});

it('remembers the latest identities only', () => {
  const revisions = new Revisions();
  const isOver = (identity: string) => !revisions.isCurrent({ identity, revision: 0 });
  for (let index = 0; index < 20_000; index++) revisions.raise(`viewer ${index}`, 1);
  expect(isOver('viewer 0')).toBe(false);
  expect(isOver('viewer 10000')).toBe(true);
  revisions.raise('viewer 10000', 1);
  revisions.raise('one more', 1);
  expect(isOver('viewer 10000')).toBe(true);
});
