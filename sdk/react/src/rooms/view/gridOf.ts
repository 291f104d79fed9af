interface Size {
  width: number;
  height: number;
}

export interface Grid {
  columns: number;
  /** The size of one tile, in whole pixels. */
  tile: Size;
}

/**
 * The widest and the narrowest aspect ratio of a tile. Camera videos are landscape, so a landscape screen crops them little, while a
 * portrait screen may crop much of their sides.
 */
const widest = 16 / 9;
const narrowestIn = ({ width, height }: Size) => (width > height ? 5 / 4 : 5 / 8);

/** Finds the number of columns with which the tiles are largest. */
export function gridOf(space: Size, count: number, gap: number): Grid {
  let best: Grid = { columns: 1, tile: { width: 0, height: 0 } };
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns);
    const cell = {
      width: (space.width - gap * (columns - 1)) / columns,
      height: (space.height - gap * (rows - 1)) / rows,
    };
    const tile = shaped(cell, narrowestIn(space));
    if (area(tile) > area(best.tile)) best = { columns, tile };
  }
  return best;
}

/** The size of the smallest tile in which a face is recognizable, in pixels. */
const smallest = { width: 148, height: 104 };
const most = 24;

/** The number of tiles that fit on a page. */
export function perPage({ width, height }: Size, gap: number): number {
  const fit = (length: number, side: number) => Math.max(1, Math.floor((length + gap) / (side + gap)));
  return Math.min(most, fit(width, smallest.width) * fit(height, smallest.height));
}

function shaped({ width, height }: Size, narrowest: number): Size {
  if (width < 1 || height < 1) return { width: 0, height: 0 };
  const ratio = width / height;
  if (ratio > widest) return { width: Math.floor(height * widest), height: Math.floor(height) };
  if (ratio < narrowest) return { width: Math.floor(width), height: Math.floor(width / narrowest) };
  return { width: Math.floor(width), height: Math.floor(height) };
}

const area = ({ width, height }: Size) => Math.max(0, width) * Math.max(0, height);
