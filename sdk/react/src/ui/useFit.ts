import { useEffect, useState, type RefObject } from 'react';

/** The largest share of a video that may be cropped to fill its element. Beyond it, the video is shown whole. */
const maxCrop = 0.45;

/** Chooses how a video fits its element. For example, a landscape video on a portrait phone is shown whole. */
export function useFit(video: RefObject<HTMLVideoElement | null>): 'cover' | 'contain' {
  const [fit, setFit] = useState<'cover' | 'contain'>('cover');
  useEffect(() => {
    const element = video.current;
    if (!element) return;
    const measure = () => {
      const videoRatio = element.videoWidth / element.videoHeight;
      const elementRatio = element.clientWidth / element.clientHeight;
      if (!Number.isFinite(videoRatio) || !Number.isFinite(elementRatio)) return;
      const cropped = 1 - Math.min(videoRatio / elementRatio, elementRatio / videoRatio);
      setFit(cropped > maxCrop ? 'contain' : 'cover');
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('resize', measure);
    return () => {
      observer.disconnect();
      element.removeEventListener('resize', measure);
    };
  }, [video]);
  return fit;
}
