import { Ago } from '@parley/react';
import { Text } from '@mantine/core';
import type { Payment } from '@parley/sdk';
import { IconCreditCard } from '@tabler/icons-react';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { counted, inDollars } from '../../ui/numbers.ts';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge, type Status } from '../../ui/StatusBadge.tsx';
import classes from './BillingPage.module.css';

/** The account's payments, newest first. */
export function PaymentsCard() {
  const list = useList(useSignedIn().queries.payments);
  return (
    <Section title="Payments" testId="payments">
      <LoadedList
        list={list}
        what="the payments"
        rowHeight={52}
        empty={
          <Empty icon={IconCreditCard} title="No payments yet">
            Payments for credits and plans are listed here with their status.
          </Empty>
        }
        more="Show older payments"
      >
        {(payment) => <PaymentItem key={payment.id} payment={payment} />}
      </LoadedList>
    </Section>
  );
}

function PaymentItem({ payment }: { payment: Payment }) {
  const { status, description, amount, credits, creditsTakenBack, createdAt } = payment;
  return (
    <li className={classes['movement']} data-testid="payment" data-status={status} data-kind={payment.kind}>
      <Text style={{ overflowWrap: 'anywhere' }}>{description}</Text>
      <span>{inDollars(1, amount)}</span>
      <Text size="sm" c="dimmed">
        <Ago at={createdAt} /> · {counted(credits, 'credit')}
        {creditsTakenBack > 0 && `, ${counted(creditsTakenBack, 'credit')} deducted`}
      </Text>
      <span>
        <StatusBadge {...statuses[status]} />
      </span>
    </li>
  );
}

const statuses: Record<Payment['status'], Status> = {
  pending: { color: 'amber', label: 'pending' },
  paid: { color: 'pine', label: 'paid' },
  expired: { color: 'gray', label: 'not completed' },
  failed: { color: 'brick', label: 'failed' },
  partially_refunded: { color: 'gray', label: 'partially refunded' },
  refunded: { color: 'gray', label: 'refunded' },
  disputed: { color: 'brick', label: 'disputed' },
};
