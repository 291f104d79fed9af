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

/** In how many parts a text goes out, and how they are written. */
export function segmentsOf(text: string): Segments {
  const { parts, encoding } = partsOf(text);
  return { segments: parts.length, encoding };
}

/**
 * A text as it goes on the air: 160 septets or 70 UTF-16 units in one part, 153 or 67 in each of several, whose header takes the
 * rest. Neither an escaped character nor a surrogate pair is torn apart.
 */
export function partsOf(text: string): { parts: string[]; encoding: Segments['encoding'] } {
  const characters = [...text];
  if (characters.every((character) => basic.has(character) || extended.has(character)))
    return { parts: split(characters, septetsOf, 160, 153), encoding: 'GSM-7' };
  return { parts: split(characters, unitsOf, 70, 67), encoding: 'UCS-2' };
}

const septetsOf = (character: string) => (extended.has(character) ? 2 : 1);
const unitsOf = (character: string) => character.length;

function split(
  characters: string[],
  sizeOf: (character: string) => number,
  single: number,
  several: number,
): string[] {
  const total = characters.reduce((sum, character) => sum + sizeOf(character), 0);
  if (total <= single) return [characters.join('')];
  const parts: string[] = [];
  let part = '';
  let filled = 0;
  for (const character of characters) {
    const size = sizeOf(character);
    if (filled + size > several) {
      parts.push(part);
      part = '';
      filled = 0;
    }
    part += character;
    filled += size;
  }
  return [...parts, part];
}
