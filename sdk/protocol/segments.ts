/** The segments of a text, which its price is counted by, and its encoding. */
export interface Segments {
  segments: number;
  encoding: 'GSM-7' | 'UCS-2';
}

/** The default alphabet of GSM 03.38: one septet per character. */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** The extension table of GSM 03.38: two septets per character, the first of which is the escape. */
const extended = new Set('\f^{}\\[~]|€');

/**
 * Counts the segments of a text, from which its price follows: see client.sms.rate(). Never throws.
 * @param text the text of an SMS
 * @returns the number of segments, and their encoding. One segment has up to 160 characters in GSM-7 or 70 in UCS-2; of several, each has
 * up to 153 or 67
 * @example const { segments } = segmentsOf('Your table is ready.');
 */
export function segmentsOf(text: string): Segments {
  const { parts, encoding } = partsOf(text);
  return { segments: parts.length, encoding };
}

/**
 * Splits a text into segments. A text of one segment has room for 160 septets or 70 UTF-16 units. If a text has several segments, each
 * has room for 153 or 67, because a header takes the rest. Escaped characters and surrogate pairs are not split.
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
