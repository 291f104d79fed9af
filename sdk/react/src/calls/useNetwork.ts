import { useEffect, useState } from 'react';
import { useParley } from '../core/ParleyProvider.tsx';
import { countersOf, weakSide, type NetworkCounters } from './network.ts';

const everyMs = 3_000;

/** Whose network is weak in a call; null if none is, or while there is no media. */
export function useNetwork(callId: string | null, isActive: boolean): 'own' | 'peer' | null {
  const client = useParley();
  const [side, setSide] = useState<'own' | 'peer' | null>(null);
  useEffect(() => {
    if (!callId || !isActive) return;
    let before: NetworkCounters | null = null;
    let isOver = false;
    const look = async () => {
      const stats = await client.media.stats(callId).catch(() => null);
      if (isOver || !stats) return;
      const now = countersOf(stats.sending, stats.receiving);
      if (before) setSide(weakSide(before, now));
      before = now;
    };
    const timer = setInterval(() => void look(), everyMs);
    return () => {
      isOver = true;
      clearInterval(timer);
      setSide(null);
    };
  }, [client, callId, isActive]);
  return side;
}
