import { useEffect } from 'react';
import type { OpenOrder } from '../../phone/OpenOrders.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/** Asks what becomes of an order: soon at first, then less and less often, and never in a window that nobody sees. */
export function useFollowedOrder({ orderId, status }: OpenOrder): void {
  const { phone } = useSignedIn();
  const isOpen = status === 'pending' || status === 'processing';
  useEffect(() => {
    if (!isOpen) return;
    let pauseMs = firstPauseMs;
    let timer: ReturnType<typeof setTimeout>;
    const ask = async () => {
      // What fails this time is asked again: the order itself is not in danger.
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
