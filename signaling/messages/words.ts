import { hash } from 'node:crypto';
import type { Address } from '../../sdk/protocol/common.ts';
import { toBase62 } from '../../sdk/protocol/ids.ts';

/** Vowel signs and accents that people leave out when they search: Latin, Greek and Cyrillic; Hebrew; Arabic. */
const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/gu;
/** Letters with a stroke or the like, which Unicode does not take apart. */
const letters: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ł: 'l', ı: 'i', ς: 'σ' };
const lettersPattern = new RegExp(`[${Object.keys(letters).join('')}]`, 'gu');
/** Characters of scripts that put no spaces between words. */
const unspaced = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}`;
const unspacedPattern = new RegExp(`^[${unspaced}]`, 'v');
const wordPattern = new RegExp(
  String.raw`[${unspaced}]+|[[\p{L}\p{N}\p{M}]--[${unspaced}]]+|\p{Extended_Pictographic}`,
  'gv',
);
/** The maximum length of an indexed word in code points. An address fits: an erasure would not find one that was cut. */
const maxLength = 64;
/** The maximum length of a word of a query in code points. Longer words were cut to this length when they were indexed by an earlier release. */
const maxQueryLength = 40;

/** The words of a text, each once, without case and accents. Text without spaces is cut into pairs of characters. */
export function wordsOf(text: string): string[] {
  const folded = text
    .normalize('NFKD')
    .replace(accents, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(lettersPattern, (letter) => letters[letter] ?? letter);
  const words = new Set<string>();
  for (const [word] of folded.matchAll(wordPattern)) {
    const characters = [...word];
    if (unspacedPattern.test(word))
      for (const index of characters.keys()) words.add(characters.slice(index, index + 2).join(''));
    else words.add(cut(word, maxLength));
  }
  return [...words];
}

/** The first code points of a word. */
const cut = (word: string, length: number) => [...word].slice(0, length).join('');

/** The words of a query. A text has all of them, or words that begin with them, if it contains the query. */
export function queryWordsOf(text: string): string[] {
  const words = [...new Set(wordsOf(text).map((word) => cut(word, maxQueryLength)))];
  // The last character of a text without spaces begins no pair in the query, but may begin one in the message.
  return words.filter(
    (word) => !words.some((other) => other !== word && unspacedPattern.test(word) && isPart(word, other)),
  );
}

const isPart = (word: string, of: string) => [...word].length === 1 && of.includes(word);

/** Months are counted since the year 0. */
export const monthOf = (at: Date): number => at.getUTCFullYear() * 12 + at.getUTCMonth();

/** The beginning of a month. */
export const startOf = (month: number): Date => new Date(Date.UTC(Math.floor(month / 12), month % 12));

const prefixLength = 12;

/**
 * The prefix of the words of a wallet in a month. It keeps the words of wallets and of months apart in one index, so that a search reads
 * no words of other wallets, and no more months than it needs.
 */
export function prefixOf(wallet: Address, month: number): string {
  const digest = hash('sha256', wallet, 'buffer').subarray(0, prefixLength);
  return `${Array.from(digest, (byte) => toBase62(byte % 62)).join('')}${month}`;
}
