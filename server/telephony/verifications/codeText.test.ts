import { expect, it } from 'vitest';
import { segmentsOf } from '../../../sdk/protocol/segments.ts';
import { codeLanguages, codeText } from './codeText.ts';

it.each(codeLanguages)('fits one segment in %s with the longest code', (language) => {
  const text = codeText('12345678', language);
  expect(text).toContain('12345678');
  expect(segmentsOf(text).segments).toBe(1);
});

it.each([
  ['de-AT', 'ist Ihr'],
  ['DE', 'ist Ihr'],
  ['pt-BR', 'é o seu'],
  ['ja', 'is your'],
  ['constructor', 'is your'],
  [undefined, 'is your'],
])('chooses the text for locale %s', (locale, phrase) => {
  expect(codeText('1234', locale)).toContain(phrase);
});
