import { useState } from 'react';
import { useParley } from '../core/ParleyProvider.tsx';
import { useEvent } from '../core/useEvent.ts';

/** From 0 to 10; below it, the network is weak. */
const minQuality = 5;

interface Weakness {
  callId: string;
  own: boolean;
  peer: boolean;
}

/** Whose network is weak in a call; null if none is. If both are, the own one, which this user can change. */
export function useNetwork(callId: string | null): 'own' | 'peer' | null {
  const client = useParley();
  const [weak, setWeak] = useState<Weakness | null>(null);
  useEvent('call:quality', ({ callId: id, walletAddress, sending, receiving }) => {
    const isWeak = Math.min(sending ?? 10, receiving ?? 10) < minQuality;
    const side = walletAddress === client.session?.walletId ? 'own' : 'peer';
    setWeak((before) => ({
      ...(before?.callId === id ? before : { callId: id, own: false, peer: false }),
      [side]: isWeak,
    }));
  });
  if (!weak || weak.callId !== callId) return null;
  return weak.own ? 'own' : weak.peer ? 'peer' : null;
}
