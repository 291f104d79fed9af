import type { Message } from '@parley/sdk';
import type { Words } from '../words/english.ts';

/** A message in one line, for the list of chats. @param sender who wrote it, in a group */
export function messagePreview(
  { from, content, type, deletedAt }: Message,
  own: string,
  words: Words,
  sender?: string,
): string {
  if (deletedAt) return words.chats.deletedPreview;
  const { spokenYou, saidBy } = words.conversation;
  const by = from === own ? spokenYou : sender === undefined ? '' : saidBy(sender);
  return by + (content || words.chats.preview[type]);
}
