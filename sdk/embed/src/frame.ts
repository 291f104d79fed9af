import type { Attributes, FrameMessage, PageMessage } from './messages.ts';

/** Which page the frame shows, and with which attributes of the element. */
export interface Frame {
  page: 'room' | 'call' | 'stream';
  /** The id of the room or stream, or the wallet to call. */
  id: string;
  token: string | null;
  name: string | null;
  theme: 'auto' | 'light' | 'dark';
  type: 'audio' | 'video';
}

/** Reads the address of the frame. @returns null if it is no page for embedding */
export function readFrame({ pathname, search, hash }: Location): Frame | null {
  const [, page, id] = /^\/embed\/(room|call|stream)\/([^/]+)$/.exec(pathname) ?? [];
  if (!page || !id) return null;
  const query = new URLSearchParams(search);
  const [theme, name, type] = [query.get('theme'), query.get('name'), query.get('type')];
  return {
    page: page as Frame['page'],
    id: decodeURIComponent(id),
    token: new URLSearchParams(hash.slice(1)).get('token'),
    ...readAttributes({ theme, name, type }),
  };
}

/** Reads the attributes that a running frame takes over. */
export const readAttributes = ({
  theme,
  name,
  type,
}: Attributes): Pick<Frame, 'theme' | 'name' | 'type'> => ({
  name,
  theme: theme === 'light' || theme === 'dark' ? theme : 'auto',
  type: type === 'audio' ? 'audio' : 'video',
});

/** Tells the page around the frame. Only origins in EMBED_ORIGINS can be around it, and no message contains a secret. */
export function tell(message: FrameMessage): void {
  if (window.parent !== window) window.parent.postMessage(message, '*');
}

/** Calls back for messages of the page around the frame that have this name. @returns a function that stops */
export function onPageMessage<Name extends PageMessage['parley']>(
  name: Name,
  handle: (message: Extract<PageMessage, { parley: Name }>) => void,
): () => void {
  const onMessage = ({ source, data }: MessageEvent) => {
    const message = data as PageMessage | null;
    if (source === window.parent && message?.parley === name) handle(message as never);
  };
  window.addEventListener('message', onMessage);
  return () => window.removeEventListener('message', onMessage);
}
