import { Anchor } from '@mantine/core';
import type { MediaInfo, Message } from '@parley/sdk';
import { useRef, useState } from 'react';
import { Dialog } from '../../ui/Dialog.tsx';
import own from './Chats.module.css';

interface Props {
  type: Message['type'];
  media: MediaInfo;
  /** Called when the file cannot be loaded, most likely because its URL has expired. URLs are valid for an hour. */
  onExpired: () => void;
}

/** Shows the file of a message: an image that can be enlarged, or a video or audio player. */
export function MediaContent({ type, media, onExpired }: Props) {
  const { url, name, width, height } = media;
  const onError = useOnce(url, onExpired);
  const shape = width && height ? { aspectRatio: `${width} / ${height}` } : {};
  switch (type) {
    case 'image':
      return <ImageContent media={media} shape={shape} onError={onError} />;
    case 'video':
      return (
        <video
          className={own['video']}
          style={shape}
          src={url}
          poster={`${url}&thumbnail`}
          controls
          playsInline
          preload="none"
          aria-label={name ?? 'Video'}
          onError={onError}
          data-testid="message-video"
        />
      );
    case 'audio':
      return (
        <audio
          className={own['audio']}
          src={url}
          controls
          preload="metadata"
          aria-label={name ?? 'Audio'}
          onError={onError}
          data-testid="message-audio"
        />
      );
    case 'text':
      return null;
  }
}

function ImageContent({ media, shape, onError }: { media: MediaInfo; shape: object; onError: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const { url, name, width, height } = media;
  const what = name ?? 'Image';
  return (
    <>
      <button
        type="button"
        className={own['picture']}
        aria-label={`${what}: enlarge`}
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
        <Dialog title={what} onClose={() => setIsOpen(false)} isWide testId="picture-dialog">
          <img className={own['large']} src={url} alt={what} data-testid="large-picture" />
          <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
            Open in a new tab
          </Anchor>
        </Dialog>
      )}
    </>
  );
}

/** Calls `act` once per URL, so that a file that cannot be shown is not requested repeatedly. */
function useOnce(url: string, act: () => void): () => void {
  const failed = useRef<string | null>(null);
  return () => {
    if (failed.current === url) return;
    failed.current = url;
    act();
  };
}
