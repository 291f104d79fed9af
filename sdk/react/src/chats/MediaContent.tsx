import type { MediaInfo, Message } from '@parley/sdk';
import { IconFileDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { usePlayedUrl } from '../core/usePlayedUrl.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { useWords } from '../words/WordsContext.tsx';
import classes from './Chats.module.css';

interface Props {
  type: Message['type'];
  media: MediaInfo;
  /** Called when the file cannot be loaded, most likely because its URL has expired. URLs are valid for an hour. */
  onExpired: () => void;
}

/** Shows the file of a message: an image that can be enlarged, a video or audio player, or a document to download. */
export function MediaContent({ type, media, onExpired }: Props) {
  const { preview } = useWords().chats;
  const { url, name, width, height } = media;
  const { onError, ...player } = usePlayedUrl(url, onExpired);
  const shape = width && height ? { aspectRatio: `${width} / ${height}` } : {};
  switch (type) {
    case 'image':
      return <ImageContent media={media} shape={shape} onError={onError} />;
    case 'video':
      return (
        <video
          className={classes['video']}
          style={shape}
          {...player}
          poster={`${url}&thumbnail`}
          controls
          playsInline
          preload="none"
          aria-label={name ?? preview.video}
          onError={onError}
          data-testid="message-video"
        />
      );
    case 'audio':
      return (
        <audio
          className={classes['audio']}
          {...player}
          controls
          preload="metadata"
          aria-label={name ?? preview.audio}
          onError={onError}
          data-testid="message-audio"
        />
      );
    case 'file':
      return <DocumentContent media={media} />;
    case 'text':
      return null;
  }
}

function ImageContent({ media, shape, onError }: { media: MediaInfo; shape: object; onError: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const words = useWords().chats;
  const { url, name, width, height } = media;
  const what = name ?? words.preview.image;
  return (
    <>
      <button
        type="button"
        className={classes['picture']}
        aria-label={words.enlarge(what)}
        onClick={() => setIsOpen(true)}
        data-testid="message-picture"
      >
        {/* Reserves the final size, so that the page does not jump when the image loads. */}
        <img
          src={`${url}&thumbnail`}
          alt=""
          style={{ ...shape, width: Math.min(width ?? 320, 320) }}
          height={height ?? undefined}
          onError={onError}
        />
      </button>
      {isOpen && (
        <Dialog title={what} onClose={() => setIsOpen(false)} isWide data-testid="picture-dialog">
          <img
            className={classes['large']}
            src={url}
            alt={what}
            onError={onError}
            data-testid="large-picture"
          />
          <a className={classes['link']} href={url} target="_blank" rel="noreferrer">
            {words.openInNewTab}
          </a>
        </Dialog>
      )}
    </>
  );
}

/** Documents are only downloaded: the server sends them as attachments, so that a browser never opens one as a page. */
function DocumentContent({ media: { url, name, size } }: { media: MediaInfo }) {
  const words = useWords().chats;
  const what = name ?? words.preview.file;
  return (
    <a
      className={classes['document']}
      href={url}
      download={what}
      rel="noreferrer"
      aria-label={words.download(what)}
      data-testid="message-document"
    >
      <IconFileDownload size={24} aria-hidden />
      <span>
        {what}
        <small>{inUnits(size)}</small>
      </span>
    </a>
  );
}

const inUnits = (bytes: number) =>
  bytes < 100_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
