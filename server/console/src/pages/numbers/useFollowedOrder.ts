import { useEffect } from 'react';
import type { OpenOrder } from '../../phone/OpenOrders.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/** Polls the status of an order: frequently at first, then less often, and not while the window is hidden. */
export function useFollowedOrder({ orderId, status }: OpenOrder): void {
  const { phone } = useSignedIn();
  const isOpen = status === 'pending' || status === 'processing';
  useEffect(() => {
    if (!isOpen) return;
    let pauseMs = firstPauseMs;
    let timer: ReturnType<typeof setTimeout>;
    const ask = async () => {
      // A failed request is repeated; the order itself is not affected.
      if (document.visibilityState === 'visible') await phone.followOrder(orderId).catch(() => undefined);
      if (isGone) return;
      pauseMs = Math.min(longestPauseMs, pauseMs * 1.5);
      timer = setTimeout(() => void ask(), pauseMs);
    };
    let isGone = false;
    timer = setTimeout(() => void ask(), pauseMs);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [phone, orderId, isOpen]);
}
