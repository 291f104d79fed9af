import type { PhoneNumber, WebhookDelivery, WebhookState } from '@parley/sdk';
import { useEffect, useMemo } from 'react';
import type { PagedList } from '../../data/PagedList.ts';
import type { Loaded } from '../../data/Resource.ts';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { useStore } from '../../session/Store.ts';

/** The state of a number's webhook. It is read again after each delivery, because the response may have disabled the webhook. */
export function useWebhookState(
  { id }: PhoneNumber,
  deliveries: PagedList<WebhookDelivery>,
): Loaded<WebhookState> & { refresh: () => Promise<void> } {
  const { phone } = useSignedIn();
  const resource = useMemo(() => phone.webhook(id), [phone, id]);
  const latest = useStore(deliveries.store).items?.[0];
  const answered = `${latest?.id} ${latest?.status}`;
  useEffect(() => void resource.refresh(), [resource, answered]);
  return { ...useLoaded(resource), refresh: resource.refresh };
}
