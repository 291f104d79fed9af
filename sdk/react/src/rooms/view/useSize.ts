import { useState, type RefObject } from 'react';
import { useBrowserLayoutEffect } from '../../core/useBrowserLayoutEffect.ts';

/** The content size of an element, in CSS pixels. */
export function useSize(target: RefObject<HTMLElement | null>): { width: number; height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useBrowserLayoutEffect(() => {
    const element = target.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      setSize({ width: Math.floor(width), height: Math.floor(height) });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [target]);
  return size;
}
