import { useEffect, useLayoutEffect, useRef, useState } from 'react';

/** So near to the end, one is at the end. */
const nearPixels = 80;
/** From here on what is earlier is wanted soon. */
const nearStartPixels = 160;

/** In pixels. */
interface Sight {
  height: number;
  inSight: number;
  first?: string | undefined;
  last?: string | undefined;
}

/**
 * Where one is in a list that grows at both ends: at the end, one stays at the end; above it, what was in sight stays in sight.
 * @param items the latest first
 * @param onNearStart called where somebody scrolls to the first of them
 */
export function useScrollAnchor(items: { id: string }[], onNearStart?: () => void) {
  const frame = useRef<HTMLDivElement>(null);
  /** What was shown last, how high it was, and how much of it was in sight. */
  const before = useRef<Sight | null>(null);
  const [hasNew, setHasNew] = useState(false);
  const [first, last] = [items.at(-1)?.id, items[0]?.id];
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const was = before.current;
    if (wasAtEnd(element, was)) element.scrollTop = element.scrollHeight;
    else if (was && was.first !== first) element.scrollTop += element.scrollHeight - was.height;
    else if (was && was.last !== last) setHasNew(true);
    before.current = { ...sizeOf(element), first, last };
  }, [items, first, last]);
  // The frame shrinks while somebody writes several lines, and its content grows when a picture arrives.
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      if (wasAtEnd(element, before.current)) element.scrollTop = element.scrollHeight;
      before.current = { ...before.current, ...sizeOf(element) };
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const onScroll = () => {
    const element = frame.current;
    if (!element) return;
    before.current = { ...before.current, ...sizeOf(element) };
    if (wasAtEnd(element, before.current)) setHasNew(false);
    if (element.scrollTop < nearStartPixels && element.scrollHeight > element.clientHeight) onNearStart?.();
  };
  const toEnd = () => {
    const element = frame.current;
    if (element) element.scrollTop = element.scrollHeight;
    element?.focus();
  };
  return { frame, onScroll, hasNew, toEnd };
}

const sizeOf = ({ scrollHeight: height, clientHeight: inSight }: HTMLElement) => ({ height, inSight });

/** By where it is scrolled to now: a browser tells of that a frame later, and something may come in before. */
function wasAtEnd(element: HTMLElement, was: Sight | null): boolean {
  if (!was) return true;
  const isNear = ({ height, inSight }: Sight) => height - element.scrollTop - inSight < nearPixels;
  return isNear(was) || isNear(sizeOf(element));
}
