import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partsOf, segmentsOf } from './segments.ts';

it.each<[string, string, number, 'GSM-7' | 'UCS-2']>([
  ['a short text', 'hello', 1, 'GSM-7'],
  ['a full segment', 'a'.repeat(160), 1, 'GSM-7'],
  ['one septet more than a segment', 'a'.repeat(161), 2, 'GSM-7'],
  ['two full segments', 'a'.repeat(306), 2, 'GSM-7'],
  ['one septet more than two segments', 'a'.repeat(307), 3, 'GSM-7'],
  ['a full segment of escaped characters', '€'.repeat(80), 1, 'GSM-7'],
  ['one escaped character more than a segment', '€'.repeat(81), 2, 'GSM-7'],
  ['two full segments of escaped characters', '€'.repeat(152), 2, 'GSM-7'],
  ['an escaped character on the border', `${'a'.repeat(152)}€${'a'.repeat(152)}`, 3, 'GSM-7'],
  ['a full segment in UCS-2', 'ж'.repeat(70), 1, 'UCS-2'],
  ['one unit more than a segment in UCS-2', 'ж'.repeat(71), 2, 'UCS-2'],
  ['two full segments in UCS-2', 'ж'.repeat(134), 2, 'UCS-2'],
  ['one unit more than two segments in UCS-2', 'ж'.repeat(135), 3, 'UCS-2'],
  ['a full segment of emoji', '😀'.repeat(35), 1, 'UCS-2'],
  ['one emoji more than a segment', '😀'.repeat(36), 2, 'UCS-2'],
  ['an emoji on the border', '😀'.repeat(67), 3, 'UCS-2'],
  ['one letter outside GSM-7 in a long text', `${'a'.repeat(159)}ж`, 3, 'UCS-2'],
  ['a lower-case c with cedilla, of which GSM-7 has only the capital', 'ç', 1, 'UCS-2'],
  ['a backtick', '`', 1, 'UCS-2'],
  ['the longest valid text', 'a'.repeat(1_600), 11, 'GSM-7'],
])('counts the segments of %s', (_name, text, segments, encoding) => {
  expect(segmentsOf(text)).toEqual({ segments, encoding });
});

/**
 * The alphabet of 3GPP TS 23.038, 6.2.1 and 6.2.1.1, in the order of the codes; 0x1b is the escape to the extension table. Written
 * independently of the copy under test.
 */
const alphabet = [
  '@£$¥èéùìòÇ\nØø\rÅå',
  'Δ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ',
  ' !"#¤%&\'()*+,-./',
  '0123456789:;<=>?',
  '¡ABCDEFGHIJKLMNO',
  'PQRSTUVWXYZÄÖÑÜ§',
  '¿abcdefghijklmno',
  'pqrstuvwxyzäöñüà',
].join('');
const extension = '\f^{}\\[~]|€';
/** The septets of a text; null if it cannot be written in GSM-7. */
const septetsOf = (text: string) =>
  [...text].reduce<number | null>((sum, character) => {
    if (sum === null || character === '\u001b') return null;
    if (alphabet.includes(character)) return sum + 1;
    return extension.includes(character) ? sum + 2 : null;
  }, 0);

describe('any text', () => {
  const gsm = fc
    .array(fc.constantFrom(...[...alphabet.replace('\u001b', ''), ...extension]), { maxLength: 700 })
    .map((characters) => characters.join(''));
  const unicode = fc.string({ unit: 'grapheme', maxLength: 400 });
  const text = fc.oneof(
    gsm,
    unicode,
    fc.tuple(gsm, unicode).map(([one, other]) => one + other),
  );

  it('is encoded in GSM-7 exactly if the alphabet has all its characters', () => {
    expect(alphabet).toHaveLength(128);
    fc.assert(
      fc.property(text, (given) => {
        expect(segmentsOf(given).encoding).toBe(septetsOf(given) === null ? 'UCS-2' : 'GSM-7');
      }),
    );
  });

  it('is split into parts that are not too long, end between characters and join to the text', () => {
    fc.assert(
      fc.property(text, (given) => {
        const { parts, encoding } = partsOf(given);
        expect(parts.join('')).toBe(given);
        const [single, several] = encoding === 'GSM-7' ? [160, 153] : [70, 67];
        const sizeOf = (part: string) =>
          encoding === 'GSM-7' ? (septetsOf(part) ?? Infinity) : Buffer.byteLength(part, 'utf16le') / 2;
        const limit = parts.length === 1 ? single : several;
        for (const part of parts) expect(sizeOf(part)).toBeLessThanOrEqual(limit);
        for (const part of parts) expect(part).not.toMatch(/\p{Surrogate}/u);
        // There are no more parts than necessary: a part ends only before a character that does not fit into it.
        for (const [index, part] of parts.slice(0, -1).entries()) {
          const [next = ''] = parts[index + 1] ?? '';
          expect(sizeOf(part) + sizeOf(next)).toBeGreaterThan(limit);
        }
        if (parts.length > 1) expect(sizeOf(given)).toBeGreaterThan(single);
      }),
      { numRuns: 300 },
    );
  });
});
