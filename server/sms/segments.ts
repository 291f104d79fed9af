export interface Segments {
  segments: number;
  encoding: 'GSM-7' | 'UCS-2';
}

/** GSM 03.38's default alphabet: one septet each. */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** Its extension: an escape and a septet. */
const extended = new Set('\f^{}\\[~]|€');

/** In how many parts a text goes out: 160 septets or 70 UTF-16 units in one, 153 or 67 in each of several, whose header takes the rest. */
export function segmentsOf(text: string): Segments {
  const characters = [...text];
  if (characters.every((character) => basic.has(character) || extended.has(character))) {
    const sizes = characters.map((character) => (extended.has(character) ? 2 : 1));
    return { segments: parts(sizes, 160, 153), encoding: 'GSM-7' };
  }
  const sizes = characters.map((character) => character.length);
  return { segments: parts(sizes, 70, 67), encoding: 'UCS-2' };
}

/** Neither an escaped character nor a surrogate pair is torn apart. */
function parts(sizes: number[], single: number, several: number): number {
  if (sizes.reduce((sum, size) => sum + size, 0) <= single) return 1;
  let count = 1;
  let filled = 0;
  for (const size of sizes) {
    if (filled + size > several) {
      count++;
      filled = 0;
    }
    filled += size;
  }
  return count;
}
