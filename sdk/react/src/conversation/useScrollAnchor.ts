import { useEffect, useRef, useState } from 'react';
import { useBrowserLayoutEffect } from '../core/useBrowserLayoutEffect.ts';

/** The maximum distance from the end at which the list counts as scrolled to the end. */
const nearPixels = 80;
/** The distance from the start or end below which earlier or newer messages are loaded. */
const nearLoadPixels = 160;

/** The height of the list and of its visible part, in pixels, and the ids of the first and last item. */
interface Sight {
  height: number;
  inSight: number;
  first?: string | undefined;
  last?: string | undefined;
  /** Whether newer items are missing after the last one. */
  hasNewer?: boolean;
}

interface Ends {
  /** Called when the user scrolls near the oldest item. */
  onNearStart?: (() => void) | undefined;
  /** Called when the user scrolls near the newest item, if newer ones can be loaded. */
  onNearEnd?: (() => void) | undefined;
}

/**
 * Keeps the scroll position of a list that grows at both ends. A list scrolled to the end stays there; otherwise the visible items
 * stay in place.
 * @param items latest first
 */
export function useScrollAnchor(items: { id: string }[], { onNearStart, onNearEnd }: Ends = {}) {
  const frame = useRef<HTMLDivElement>(null);
  /** The list as it was last rendered or scrolled. */
  const before = useRef<Sight | null>(null);
  const [hasNew, setHasNew] = useState(false);
  const [first, last] = [items.at(-1)?.id, items[0]?.id];
  const hasNewer = onNearEnd !== undefined;
  useBrowserLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const was = before.current;
    if (wasAtEnd(element, was)) element.scrollTop = element.scrollHeight;
    else if (was && was.first !== first) element.scrollTop += element.scrollHeight - was.height;
    else if (was && was.last !== last && !was.hasNewer) setHasNew(true);
    before.current = { ...sizeOf(element), first, last, hasNewer };
  }, [items, first, last, hasNewer]);
  // The frame shrinks as the composer grows, and its content grows when an image loads.
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
    const { scrollTop, scrollHeight, clientHeight } = element;
    if (scrollTop < nearLoadPixels && scrollHeight > clientHeight) onNearStart?.();
    if (scrollHeight - scrollTop - clientHeight < nearLoadPixels) onNearEnd?.();
  };
  const toEnd = () => {
    const element = frame.current;
    if (element) element.scrollTop = element.scrollHeight;
    element?.focus();
  };
  return { frame, onScroll, hasNew, toEnd };
}

const sizeOf = ({ scrollHeight: height, clientHeight: inSight }: HTMLElement) => ({ height, inSight });

/**
 * Whether the list was scrolled to the end before it changed. Uses the current scroll position, because browsers report scrolling one
 * frame late, and an item may arrive in that frame.
 */
function wasAtEnd(element: HTMLElement, was: Sight | null): boolean {
  if (!was) return true;
  // The end of the list is not the end of the messages.
  if (was.hasNewer) return false;
  const isNear = ({ height, inSight }: Sight) => height - element.scrollTop - inSight < nearPixels;
  return isNear(was) || isNear(sizeOf(element));
}
