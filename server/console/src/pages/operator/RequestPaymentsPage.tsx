import { Ago } from '@parley/react';
import { shortAddress, type RequestPayment } from '@parley/sdk';
import { SegmentedControl, Text } from '@mantine/core';
import { IconCoins } from '@tabler/icons-react';
import { useState } from 'react';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { counted, inDigits } from '../../ui/numbers.ts';
import { Page } from '../../ui/Page.tsx';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge, type Status } from '../../ui/StatusBadge.tsx';
import billing from '../billing/BillingPage.module.css';

type Filter = RequestPayment['status'] | 'all';

const filters: { value: Filter; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'done', label: 'Done' },
  { value: 'settled', label: 'Owed' },
  { value: 'settling', label: 'Settling' },
  { value: 'failed', label: 'Failed' },
];

/** Shows the server's operator the payments per request (x402) with their payers and status. */
export function RequestPaymentsPage() {
  const { queries } = useSignedIn();
  const [filter, setFilter] = useState<Filter>('all');
  const list = useList(queries.requestPayments(filter));
  return (
    <Page
      title="x402 payments"
      hint="Requests that wallets without an account paid for one by one with x402."
    >
      <Section
        title="Payments"
        testId="request-payments"
        tools={
          <SegmentedControl
            aria-label="Filter payments"
            data={filters}
            value={filter}
            onChange={(value) => setFilter(value)}
            data-testid="payment-filter"
          />
        }
      >
        <LoadedList
          list={list}
          what="the payments"
          rowHeight={52}
          empty={
            <Empty icon={IconCoins} title={filter === 'all' ? 'No payments yet' : 'No matching payments'}>
              {filter === 'all'
                ? 'Requests paid with x402 are listed here with their payers.'
                : 'There are no payments with this status. Choose another filter.'}
            </Empty>
          }
          more="Show older payments"
        >
          {(payment) => <PayerItem key={payment.id} payment={payment} />}
        </LoadedList>
      </Section>
    </Page>
  );
}

function PayerItem({ payment }: { payment: RequestPayment }) {
  const { payer, status, service, units, credits, amount, network, failure, transaction } = payment;
  return (
    <li className={billing['movement']} data-testid="request-payment" data-status={status} data-payer={payer}>
      <Text ff="monospace" title={payer}>
        {shortAddress(payer)}
      </Text>
      <StatusBadge {...statuses[status]} />
      <Text size="sm">
        {service} × {inDigits(units)}, worth {counted(credits, 'credit')}
      </Text>
      <Text size="sm" c="dimmed">
        <Ago at={payment.createdAt} />
      </Text>
      <Text size="xs" c="dimmed" style={{ gridColumn: '1 / -1', overflowWrap: 'anywhere' }}>
        {payment.method} {payment.path} · {amount} units of {shortAddress(payment.asset)} on {network}
        {transaction && ` · transaction ${transaction}`}
        {failure && ` · ${failure}`}
      </Text>
    </li>
  );
}

const statuses: Record<RequestPayment['status'], Status> = {
  settling: { color: 'amber', label: 'settling' },
  settled: { color: 'amber', label: 'paid, request failed' },
  done: { color: 'pine', label: 'done' },
  failed: { color: 'gray', label: 'not paid' },
};
