import Hls from 'hls.js/light';
import { useEffect, useEffectEvent, useRef } from 'react';

interface Props {
  /** A new object makes the player try again. */
  playlist: { url: string };
  isMuted: boolean;
  onElement: (element: HTMLVideoElement | null) => void;
  onFailed: () => void;
  onPlays: () => void;
}

/** How many seconds playback should be behind the live edge, and the maximum playback rate for catching up. */
const latency = { liveSyncDuration: 3, maxLiveSyncPlaybackRate: 1.5 };

/** Plays HLS with hls.js, or natively where hls.js is not supported. Loaded on demand. */
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
    // No worker is used, because the page's security policy would have to allow its code, and it would have little to do.
    const hls = new Hls({ ...latency, enableWorker: false });
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
