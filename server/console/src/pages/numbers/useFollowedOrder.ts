import type { NumberOrderStatus } from '@parley/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { refresh } from '../../data/refresh.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';

export type OrderStatus = NumberOrderStatus['status'];

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

export const isOpenOrder = (status: OrderStatus): boolean => status === 'pending' || status === 'processing';

/** Polls the status of an order: frequently at first, then less often, and not while the window is hidden. */
export function useFollowedOrder(orderId: string): NumberOrderStatus | null {
  const { queries } = useSignedIn();
  const queryClient = useQueryClient();
  const { data } = useQuery({
    ...queries.numberOrder(orderId),
    refetchInterval: ({ state }) => {
      if (state.data && !isOpenOrder(state.data.status)) return false;
      const readings = state.dataUpdateCount + state.errorUpdateCount;
      return Math.min(longestPauseMs, firstPauseMs * 1.5 ** readings);
    },
  });
  const hasEnded = data !== undefined && !isOpenOrder(data.status);
  useEffect(() => {
    if (hasEnded) void refresh(queryClient, 'numbers', 'credits');
  }, [hasEnded, queryClient]);
  return data ?? null;
}
