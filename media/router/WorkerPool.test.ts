import { expect, it } from 'vitest';
import { idlest } from './WorkerPool.ts';

it('takes the idlest worker to be that with the fewest rooms, where a large room counts as several', () => {
  const full = { name: 'one large room', rooms: 1, load: 400 };
  const few = { name: 'five calls', rooms: 5, load: 20 };
  const some = { name: 'seven calls', rooms: 7, load: 28 };
  expect(idlest([full, some, few])).toBe(few);
  expect(idlest([full])).toBe(full);
  expect(idlest([])).toBeUndefined();
});
