import type { Message } from '@parley/sdk';

const kinds: Record<Message['type'], string> = {
  text: '',
  image: 'Image',
  video: 'Video',
  audio: 'Audio',
  file: 'Document',
};

/** A message in one line, for the list of chats. */
export function messagePreview({ from, content, type, deletedAt }: Message, own: string): string {
  const who = from === own ? 'You: ' : '';
  if (deletedAt) return 'Deleted message';
  return who + (content || kinds[type]);
}
