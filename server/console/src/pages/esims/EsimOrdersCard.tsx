import { Ago } from '@parley/react';
import { Box, Button, Text } from '@mantine/core';
import type { EsimOrder } from '@parley/sdk';
import { IconQrcode } from '@tabler/icons-react';
import { useState } from 'react';
import { useList } from '../../data/useList.ts';
import phoneClasses from '../../phone/Phone.module.css';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { counted } from '../../ui/numbers.ts';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge, type Status } from '../../ui/StatusBadge.tsx';
import { EsimCodes } from './EsimCodes.tsx';

const refreshMs = 5_000;

/** Bought eSIMs with their codes. */
export function EsimOrdersCard() {
  const { esimOrders } = useSignedIn().queries;
  const known = useList(esimOrders, { isRead: false }).value;
  const isWaiting = known?.some(({ status }) => status === 'pending') ?? false;
  const list = useList(esimOrders, { everyMs: isWaiting && refreshMs });
  if (!list.problem && !list.value?.length) return null;
  return (
    <Section title="Your eSIMs" testId="esim-orders">
      <LoadedList list={list} what="your eSIMs" empty={null} more="Show older orders">
        {(order) => <OrderItem key={order.id} order={order} />}
      </LoadedList>
    </Section>
  );
}

function OrderItem({ order }: { order: EsimOrder }) {
  const [isOpen, setIsOpen] = useState(false);
  const { packageId, quantity, status, esims, credits, error, createdAt } = order;
  const packages = useList(useSignedIn().queries.esimPackages(''), { isRead: false }).value;
  const title = packages?.find(({ id }) => id === packageId)?.title ?? packageId;
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
          <StatusBadge {...statuses[status]} />
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
        <Box w="100%" pt="sm">
          <EsimCodes esims={esims} />
        </Box>
      )}
    </li>
  );
}

const statuses: Record<EsimOrder['status'], Status> = {
  pending: { color: 'amber', label: 'pending' },
  completed: { color: 'pine', label: 'ready' },
  failed: { color: 'brick', label: 'failed' },
};
