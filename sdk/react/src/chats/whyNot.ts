import type { Words } from '../words/english.ts';

const largestBytes = 25 * 1024 * 1024;

/** Explains why a file cannot be sent; null if it can. */
export function whyNot(file: Pick<File, 'size' | 'name'>, words: Words['chats']): string | null {
  if (file.size > largestBytes) return words.tooLarge(file.name);
  return file.size === 0 ? words.emptyFile(file.name) : null;
}
