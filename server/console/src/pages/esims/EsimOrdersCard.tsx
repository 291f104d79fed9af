import { Badge, Button, Text } from '@mantine/core';
import { IconQrcode } from '@tabler/icons-react';
import { useState } from 'react';
import { useLoaded } from '../../data/useLoaded.ts';
import { useRefreshEvery } from '../../data/useRefreshEvery.ts';
import type { ListedEsimOrder } from '../../phone/PhoneData.ts';
import phoneClasses from '../../phone/Phone.module.css';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { useStore } from '../../session/Store.ts';
import { Ago } from '../../ui/Ago.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { counted } from '../../ui/numbers.ts';
import { Section } from '../../ui/Section.tsx';
import { EsimCodes } from './EsimCodes.tsx';
import classes from './Esims.module.css';

const refreshMs = 5_000;
const nothing = () => Promise.resolve();

/** Bought eSIMs with their codes. */
export function EsimOrdersCard() {
  const { phone } = useSignedIn();
  const list = phone.esimOrders;
  const state = useLoaded(list);
  const isWaiting = state.items?.some(({ status }) => status === 'pending') ?? false;
  useRefreshEvery(refreshMs, isWaiting ? list.refresh : nothing);
  if (!state.problem && !state.items?.length) return null;
  return (
    <Section title="Your eSIMs" testId="esim-orders">
      <LoadedList list={list} state={state} what="your eSIMs" empty={null} more="Show older orders">
        {(orders) => (
          <ul className={phoneClasses['list']}>
            {orders.map((order) => (
              <OrderItem key={order.id} order={order} />
            ))}
          </ul>
        )}
      </LoadedList>
    </Section>
  );
}

function OrderItem({ order }: { order: ListedEsimOrder }) {
  const { phone } = useSignedIn();
  const [isOpen, setIsOpen] = useState(false);
  const { packageId, quantity, status, esims, credits, error, createdAt } = order;
  const packages = useStore(phone.esimPackages.store).items;
  const title = packages?.find(({ id }) => id === packageId)?.title ?? packageId;
  const { color, label } = statuses[status];
  return (
    <li
      className={phoneClasses['item']}
      data-testid="esim-order"
      data-package={packageId}
      data-status={status}
    >
      <div className={phoneClasses['about']}>
        <div className={phoneClasses['head']}>
          <strong>
            {quantity > 1 && `${quantity} × `}
            {title}
          </strong>
          <Badge variant="light" color={color} tt="none" fw={500}>
            {label}
          </Badge>
        </div>
        <Text size="sm" c="dimmed">
          <Ago at={createdAt} />
          {status === 'failed'
            ? ` · ${error?.message ?? 'The provider gave no reason.'} You were not charged. Order it again.`
            : ` · ${counted(credits, 'credit')}${status === 'pending' ? ' reserved until the provider answers' : ''}`}
        </Text>
      </div>
      {esims.length > 0 && (
        <Button
          variant="default"
          size="sm"
          leftSection={<IconQrcode size={16} />}
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          data-testid="esim-show"
        >
          {isOpen ? 'Hide' : 'Show'} {esims.length > 1 ? 'the codes' : 'the code'}
        </Button>
      )}
      {isOpen && (
        <div className={classes['codes']}>
          <EsimCodes esims={esims} />
        </div>
      )}
    </li>
  );
}

const statuses: Record<ListedEsimOrder['status'], { color: string; label: string }> = {
  pending: { color: 'amber', label: 'pending' },
  completed: { color: 'pine', label: 'ready' },
  failed: { color: 'brick', label: 'failed' },
};
