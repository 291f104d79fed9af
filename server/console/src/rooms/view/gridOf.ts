interface Size {
  width: number;
  height: number;
}

export interface Grid {
  columns: number;
  /** Of one tile, in whole pixels. */
  tile: Size;
}

/** Pictures of cameras are wide: on a wide screen they lose little, on an upright one their sides. */
const widest = 16 / 9;
const narrowestIn = ({ width, height }: Size) => (width > height ? 5 / 4 : 5 / 8);

/** The columns that make so many tiles as large as the place allows. */
export function gridOf(place: Size, count: number, gap: number): Grid {
  let best: Grid = { columns: 1, tile: { width: 0, height: 0 } };
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns);
    const room = {
      width: (place.width - gap * (columns - 1)) / columns,
      height: (place.height - gap * (rows - 1)) / rows,
    };
    const tile = shaped(room, narrowestIn(place));
    if (area(tile) > area(best.tile)) best = { columns, tile };
  }
  return best;
}

/** A face in less than this is none. */
const smallest = { width: 148, height: 104 };
const most = 24;

/** How many tiles a page holds. */
export function perPage({ width, height }: Size, gap: number): number {
  const fit = (place: number, side: number) => Math.max(1, Math.floor((place + gap) / (side + gap)));
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
