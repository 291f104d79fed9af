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
  ['x'.repeat(80), ['x'.repeat(64)]],
])('the words of %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

it('an address is indexed as a whole, and looked for by what an earlier release has indexed of it', () => {
  const address = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';
  expect(wordsOf(`to ${address}!`)).toEqual(['to', address.toLowerCase()]);
  expect(queryWordsOf(`${address} ${address.slice(0, 41)}`)).toEqual([address.slice(0, 40).toLowerCase()]);
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
