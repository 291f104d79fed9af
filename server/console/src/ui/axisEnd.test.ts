import { expect, test } from 'vitest';
import { axisEnd } from './axisEnd.ts';

test.each([
  [0, 2],
  [3, 4],
  [7, 10],
  [11, 20],
  [59, 60],
  [1_001, 2_000],
])('extends the axis for a largest value of %d to %d', (largest, end) => {
  expect(axisEnd(largest)).toBe(end);
});
