import { ParleyError } from '../../protocol/errors.ts';
import type { WireQuote } from '../../protocol/messages.ts';
import type { Message } from '../types.ts';
import type { Draft } from './StoredDrafts.ts';

const quoteLength = 200;

/** What a reply shows of the message it replies to. */
export function quoteOf({ id, from, content, type }: WireQuote): WireQuote {
  return { id, from, content: [...content].slice(0, quoteLength).join(''), type };
}

/** A message that the server has not stored yet, as the app sees it. */
export function toPending(
  { id, wallet, to, content, edited, type, quote, queuedAt }: Draft,
  status: 'sending' | 'failed',
): Message {
  return {
    id,
    from: wallet,
    to,
    content: edited ?? content,
    type,
    status,
    timestamp: new Date(queuedAt),
    media: null,
    reactions: [],
    deletedAt: null,
    replyTo: quote ?? null,
    editedAt: null,
  };
}

const mediaTypes = {
  image: ['jpeg', 'jpg', 'png', 'apng', 'gif', 'webp', 'avif'],
  video: ['mp4', 'm4v', 'x-m4v', 'quicktime', 'mov', '3gpp', '3gp', 'webm'],
  audio: ['mpeg', 'mp3', 'mp4', 'm4a', 'x-m4a', 'ogg', 'oga', 'opus', 'wav', 'flac', 'aac', 'weba'],
} as const;
const kinds = ['image', 'video', 'audio'] as const;

/** The type of message that shows or plays a file, by its MIME type or else by its name. Other files are documents. */
export function typeOfFile(
  mimeType: string | null | undefined,
  name: string | null | undefined,
): Message['type'] {
  const [kind, subtype = ''] = (mimeType ?? '').toLowerCase().split(';')[0]?.split('/') ?? [];
  const ending = /\.(\w+)$/.exec(name ?? '')?.[1]?.toLowerCase() ?? '';
  const isOf = (each: (typeof kinds)[number]) =>
    kind
      ? kind === each && (mediaTypes[each] as readonly string[]).includes(subtype)
      : (mediaTypes[each] as readonly string[]).includes(ending);
  return kinds.find(isOf) ?? 'file';
}

/** @throws ParleyError VALIDATION_ERROR if a text is changed to an empty one */
export function refuseEmpty(content: string, { type }: Pick<Draft, 'type'>): void {
  if (content !== '' || type !== 'text') return;
  const message = 'content: must not be empty. Delete the message instead.';
  throw new ParleyError('VALIDATION_ERROR', message, {
    details: [{ path: 'content', code: 'too_small', message }],
  });
}
