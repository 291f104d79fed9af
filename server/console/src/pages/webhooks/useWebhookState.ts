import type { WebhookState } from '@parley/sdk';
import { useEffect } from 'react';
import { useList } from '../../data/useList.ts';
import { useLoaded, type Loaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';

/** The state of a number's webhook. It is read again after each delivery, because the response may have disabled the webhook. */
export function useWebhookState(numberId: string): Loaded<WebhookState> {
  const { queries } = useSignedIn();
  const state = useLoaded(queries.webhook(numberId));
  const latest = useList(queries.deliveries(numberId), { isRead: false }).value?.[0];
  const answered = latest && `${latest.id} ${latest.status}`;
  const { refresh } = state;
  useEffect(() => {
    if (answered) void refresh();
  }, [answered, refresh]);
  return state;
}
