import { useEffect, useState, type RefObject } from 'react';

/** A video fills its element, unless that would cut away more than this share of it. */
const mostCut = 0.45;

/** How a video fits its element: a landscape video on an upright phone is shown whole. */
export function useFit(video: RefObject<HTMLVideoElement | null>): 'cover' | 'contain' {
  const [fit, setFit] = useState<'cover' | 'contain'>('cover');
  useEffect(() => {
    const element = video.current;
    if (!element) return;
    const measure = () => {
      const picture = element.videoWidth / element.videoHeight;
      const place = element.clientWidth / element.clientHeight;
      if (!Number.isFinite(picture) || !Number.isFinite(place)) return;
      setFit(1 - Math.min(picture / place, place / picture) > mostCut ? 'contain' : 'cover');
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
