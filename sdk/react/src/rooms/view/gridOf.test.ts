import { describe, expect, it } from 'vitest';
import { gridOf, perPage } from './gridOf.ts';

const laptop = { width: 1240, height: 640 };
const phone = { width: 366, height: 660 };

describe('tiles', () => {
  it.each([
    [1, 1, 1],
    [2, 2, 1],
    [3, 2, 1],
    [4, 2, 2],
    [6, 3, 2],
    [8, 3, 2],
  ])('in a group of %i take %i columns on a laptop and %i on a phone', (count, onLaptop, onPhone) => {
    expect(gridOf(laptop, count, 8).columns).toBe(onLaptop);
    expect(gridOf(phone, count, 8).columns).toBe(onPhone);
  });

  it.each([laptop, phone, { width: 420, height: 300 }])(
    'fit into an area of $width x $height and keep their shape',
    (space) => {
      for (let count = 1; count <= 24; count++) {
        const { columns, tile } = gridOf(space, count, 8);
        const rows = Math.ceil(count / columns);
        expect(columns * tile.width + (columns - 1) * 8).toBeLessThanOrEqual(space.width);
        expect(rows * tile.height + (rows - 1) * 8).toBeLessThanOrEqual(space.height);
        expect(tile.width / tile.height).toBeGreaterThan(0.6);
        expect(tile.width / tile.height).toBeLessThan(1.85);
      }
    },
  );

  it('are limited to what fits on a page, from 1 to 24', () => {
    expect(perPage(laptop, 8)).toBe(24);
    expect(perPage(phone, 8)).toBe(10);
    expect(perPage({ width: 10, height: 10 }, 8)).toBe(1);
  });
});
