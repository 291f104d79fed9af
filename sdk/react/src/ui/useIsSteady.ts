import { useEffect, useState } from 'react';

/** About as long as a double click takes. */
const settleMs = 500;

/**
 * Whether each item of a list has been in its place for a moment. Until then, its buttons should be disabled: somebody who clicks there may
 * mean the item that was there before, for example with the second click of a double click.
 * @param ids the items in their order
 */
export function useIsSteady(ids: readonly string[]): boolean {
  const order = ids.map((id) => `${id}\n`).join('');
  const [settled, setSettled] = useState(order);
  // Items that are added at the end move no other one.
  const isSteady = order.startsWith(settled);
  if (isSteady && order !== settled) setSettled(order);
  useEffect(() => {
    if (isSteady) return;
    const timer = setTimeout(() => setSettled(order), settleMs);
    return () => clearTimeout(timer);
  }, [order, isSteady]);
  return isSteady;
}
