import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partsOf, segmentsOf } from './segments.ts';

it.each<[string, string, number, 'GSM-7' | 'UCS-2']>([
  ['a word', 'hello', 1, 'GSM-7'],
  ['what fills one', 'a'.repeat(160), 1, 'GSM-7'],
  ['one more', 'a'.repeat(161), 2, 'GSM-7'],
  ['what fills two', 'a'.repeat(306), 2, 'GSM-7'],
  ['one more than two', 'a'.repeat(307), 3, 'GSM-7'],
  ['signs of two septets', '€'.repeat(80), 1, 'GSM-7'],
  ['one more of them', '€'.repeat(81), 2, 'GSM-7'],
  ['what fills two with them', '€'.repeat(152), 2, 'GSM-7'],
  ['a sign of two septets on the border', `${'a'.repeat(152)}€${'a'.repeat(152)}`, 3, 'GSM-7'],
  ['another alphabet', 'ж'.repeat(70), 1, 'UCS-2'],
  ['one more of it', 'ж'.repeat(71), 2, 'UCS-2'],
  ['what fills two of it', 'ж'.repeat(134), 2, 'UCS-2'],
  ['one more than two of it', 'ж'.repeat(135), 3, 'UCS-2'],
  ['emoji, two units each', '😀'.repeat(35), 1, 'UCS-2'],
  ['one more emoji', '😀'.repeat(36), 2, 'UCS-2'],
  ['emoji on the border', '😀'.repeat(67), 3, 'UCS-2'],
  ['one foreign letter in a long text', `${'a'.repeat(159)}ж`, 3, 'UCS-2'],
  ['a small c with cedilla, which GSM has as a capital only', 'ç', 1, 'UCS-2'],
  ['a backtick', '`', 1, 'UCS-2'],
  ['the longest text there may be', 'a'.repeat(1_600), 11, 'GSM-7'],
])('%s', (_what, text, segments, encoding) => {
  expect(segmentsOf(text)).toEqual({ segments, encoding });
});

/** 3GPP TS 23.038, 6.2.1 and 6.2.1.1, by code; 0x1b is the escape to the second. Written out here once more, by position. */
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
/** As a sender of septets would write it; null where it can't. */
const septetsOf = (text: string) =>
  [...text].reduce<number | null>((sum, character) => {
    if (sum === null || character === '\u001b') return null;
    if (alphabet.includes(character)) return sum + 1;
    return extension.includes(character) ? sum + 2 : null;
  }, 0);

describe('whatever the text', () => {
  const gsm = fc
    .array(fc.constantFrom(...[...alphabet.replace('\u001b', ''), ...extension]), { maxLength: 700 })
    .map((characters) => characters.join(''));
  const unicode = fc.string({ unit: 'grapheme', maxLength: 400 });
  const text = fc.oneof(
    gsm,
    unicode,
    fc.tuple(gsm, unicode).map(([one, other]) => one + other),
  );

  it('is written in septets exactly when the alphabet has all of it', () => {
    expect(alphabet).toHaveLength(128);
    fc.assert(
      fc.property(text, (given) => {
        expect(segmentsOf(given).encoding).toBe(septetsOf(given) === null ? 'UCS-2' : 'GSM-7');
      }),
    );
  });

  it('is put together again from its parts, none of which is too long or ends within a character', () => {
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
        // No fewer would do: a part is only ended by a character it has no room for.
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
