import fc from 'fast-check';
import { expect, it } from 'vitest';
import { queryWordsOf, wordsOf } from './words.ts';

it.each([
  ['Hello, HELLO world!', ['hello', 'world']],
  ['Café à la Straße', ['cafe', 'a', 'la', 'strasse']],
  ['Łódź, Ærø, ﬁne', ['lodz', 'aero', 'fine']],
  ['don’t e-mail a@b.example', ['don', 't', 'e', 'mail', 'a', 'b', 'example']],
  ['Καφές ΚΑΦΈΣ', ['καφεσ']],
  ['नमस्ते', ['नमस्ते']],
  ['iPhoneを買う', ['iphone', 'を買', '買う', 'う']],
  ['ok 👍', ['ok', '👍']],
  [' … ', []],
  ['x'.repeat(50), ['x'.repeat(40)]],
])('the words of %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

it('a text is found by itself, and by the beginning of each of its words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      const words = wordsOf(text);
      const isFound = (query: string) =>
        queryWordsOf(query).every((wanted) => words.some((word) => word.startsWith(wanted)));
      expect(isFound(text)).toBe(true);
      for (const word of words) {
        expect(isFound(word)).toBe(true);
        // The word is quoted in the query of PostgreSQL.
        expect(word).not.toMatch(/['\\\s:&|!()<>*]/);
      }
    }),
  );
});
