import { expect, it } from 'vitest';
import { segmentsOf } from './segments.ts';

it.each<[string, string, number, 'GSM-7' | 'UCS-2']>([
  ['a word', 'hello', 1, 'GSM-7'],
  ['what fills one', 'a'.repeat(160), 1, 'GSM-7'],
  ['one more', 'a'.repeat(161), 2, 'GSM-7'],
  ['what fills two', 'a'.repeat(306), 2, 'GSM-7'],
  ['one more than two', 'a'.repeat(307), 3, 'GSM-7'],
  ['signs of two septets', '€'.repeat(80), 1, 'GSM-7'],
  ['a sign of two septets on the border', `${'a'.repeat(152)}€${'a'.repeat(152)}`, 3, 'GSM-7'],
  ['another alphabet', 'ж'.repeat(70), 1, 'UCS-2'],
  ['one more of it', 'ж'.repeat(71), 2, 'UCS-2'],
  ['emoji, two units each', '😀'.repeat(35), 1, 'UCS-2'],
  ['emoji on the border', '😀'.repeat(67), 3, 'UCS-2'],
  ['one foreign letter in a long text', `${'a'.repeat(159)}ж`, 3, 'UCS-2'],
])('%s', (_what, text, segments, encoding) => {
  expect(segmentsOf(text)).toEqual({ segments, encoding });
});
