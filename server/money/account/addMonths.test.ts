import { expect, it } from 'vitest';
import { addMonths } from './addMonths.ts';

it.each([
  ['2026-01-31T12:00:00.000Z', 1, '2026-02-28T12:00:00.000Z'],
  ['2026-01-31T12:00:00.000Z', 2, '2026-03-31T12:00:00.000Z'],
  ['2027-12-31T23:59:59.999Z', 2, '2028-02-29T23:59:59.999Z'],
  ['2026-11-20T00:00:00.000Z', 12, '2027-11-20T00:00:00.000Z'],
  ['2026-11-20T00:00:00.000Z', 0, '2026-11-20T00:00:00.000Z'],
])('adds to %s %i months: %s', (start, months, end) => {
  expect(addMonths(new Date(start), months).toISOString()).toBe(end);
});
