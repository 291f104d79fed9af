import Hls from 'hls.js/light';
import { useEffect, useEffectEvent, useRef } from 'react';

interface Props {
  /** Another object is another try. */
  playlist: { url: string };
  isMuted: boolean;
  onElement: (element: HTMLVideoElement | null) => void;
  onFailed: () => void;
  onPlays: () => void;
}

/** Seconds from what happens; and how fast it may be caught up with. */
const nearness = { liveSyncDuration: 3, maxLiveSyncPlaybackRate: 1.5 };

/** Plays HLS: by hls.js, or where the browser can do it by itself. Loaded when it is needed, and no sooner. */
export function HlsVideo({ playlist, isMuted, onElement, onFailed, onPlays }: Props) {
  const video = useRef<HTMLVideoElement>(null);
  const fail = useEffectEvent(onFailed);
  useEffect(() => {
    const element = video.current;
    onElement(element);
    return () => onElement(null);
  }, [onElement]);
  useEffect(() => {
    if (video.current) video.current.muted = isMuted;
  }, [isMuted]);
  useEffect(() => {
    const element = video.current;
    if (!element) return;
    if (!Hls.isSupported()) {
      element.src = playlist.url;
      return () => element.removeAttribute('src');
    }
    // Without a worker, whose code the page's policy would have to let in: there is little for it to do.
    const hls = new Hls({ ...nearness, enableWorker: false });
    hls.on(Hls.Events.ERROR, (_event, { fatal }) => {
      if (fatal) fail();
    });
    hls.loadSource(playlist.url);
    hls.attachMedia(element);
    return () => hls.destroy();
  }, [playlist]);
  return (
    <video
      ref={video}
      autoPlay
      playsInline
      aria-label="Stream"
      onTimeUpdate={onPlays}
      onError={onFailed}
      data-testid="watch-video"
      data-way="hls"
    />
  );
}
