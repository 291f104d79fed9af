import type { Message } from '@parley/sdk';
import type { Words } from '../words/english.ts';

/** A message in one line, for the list of chats. */
export function messagePreview(
  { from, content, type, deletedAt }: Message,
  own: string,
  words: Words,
): string {
  if (deletedAt) return words.chats.deletedPreview;
  return (from === own ? words.conversation.spokenYou : '') + (content || words.chats.preview[type]);
}
