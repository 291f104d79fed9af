import { useStore } from '@parley/react';
import { Button, Text } from '@mantine/core';
import type { OpenOrder } from '../../phone/OpenOrders.ts';
import phoneClasses from '../../phone/Phone.module.css';
import { nameOfCountry, formatPhoneNumber } from '../../phone/phoneNumbers.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { counted } from '../../ui/numbers.ts';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge, type Status } from '../../ui/StatusBadge.tsx';
import { isOpenOrder, useFollowedOrder, type OrderStatus } from './useFollowedOrder.ts';

/** Orders that are open, or that have ended and that the user has not dismissed. */
export function OpenOrdersCard() {
  const orders = useStore(useSignedIn().openOrders.store);
  if (orders.length === 0) return null;
  return (
    <Section title="Orders" hint="You can leave this page. The order continues." testId="orders">
      <ul aria-live="polite">
        {orders.map((order) => (
          <OrderItem key={order.orderId} order={order} />
        ))}
      </ul>
    </Section>
  );
}

function OrderItem({ order }: { order: OpenOrder }) {
  const { openOrders } = useSignedIn();
  const { orderId, country, credits } = order;
  const followed = useFollowedOrder(orderId);
  const status = followed?.status ?? 'pending';
  const phoneNumber = followed?.number?.phoneNumber ?? order.phoneNumber;
  const isOpen = isOpenOrder(status);
  return (
    <li className={phoneClasses['item']} data-testid="order" data-status={status}>
      <div className={phoneClasses['about']}>
        <div className={phoneClasses['head']}>
          <strong>
            {phoneNumber ? formatPhoneNumber(phoneNumber) : `Number in ${nameOfCountry(country)}`}
          </strong>
          <StatusBadge {...statuses[status]} />
        </div>
        <Text size="sm" c="dimmed">
          {whatItMeans(status, credits, followed?.error?.message)}
        </Text>
      </div>
      {!isOpen && (
        <Button
          variant="default"
          size="sm"
          onClick={() => openOrders.dismiss(orderId)}
          data-testid="order-dismiss"
        >
          {status === 'completed' ? 'Done' : 'Dismiss'}
        </Button>
      )}
    </li>
  );
}

const statuses: Record<OrderStatus, Status> = {
  pending: { color: 'amber', label: 'waiting for the carrier' },
  processing: { color: 'amber', label: 'being bought' },
  completed: { color: 'pine', label: 'bought' },
  failed: { color: 'brick', label: 'failed' },
  refunded: { color: 'brick', label: 'failed, refunded' },
};

function whatItMeans(status: OrderStatus, credits: number, why: string | undefined): string {
  const reason = why ? `${why} ` : '';
  switch (status) {
    case 'pending':
    case 'processing':
      return `The carrier has not answered yet. Reserved until it does: ${counted(credits, 'credit')}.`;
    case 'completed':
      return `You paid ${counted(credits, 'credit')} for the first month. The number is listed below.`;
    case 'failed':
      return `${reason}You were not charged. Try another number.`;
    case 'refunded':
      return `${reason}Refunded to your balance: ${counted(credits, 'credit')}. Try another number.`;
  }
}
