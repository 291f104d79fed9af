import { shortAddress, type RequestPayment } from '@parley/sdk';
import { Badge, Button, SegmentedControl, Text } from '@mantine/core';
import { IconCoins } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Ago } from '../../ui/Ago.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { counted, inDigits } from '../../ui/numbers.ts';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';
import classes from './OperatorPage.module.css';

type Filter = RequestPayment['status'] | 'all';

const filters: { value: Filter; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'done', label: 'Done' },
  { value: 'settled', label: 'Owed' },
  { value: 'settling', label: 'Settling' },
  { value: 'failed', label: 'Failed' },
];

/** Shows the server's operator the payments per request (x402) with their payers and status. */
export function OperatorPage() {
  const { account } = useSignedIn();
  const [filter, setFilter] = useState<Filter>('all');
  const list = useMemo(
    () => account.requestPayments(filter === 'all' ? {} : { status: filter }),
    [account, filter],
  );
  const { items, hasMore, isLoading, isLoadingMore, problem } = useLoaded(list);
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
        {problem && <ProblemAlert problem={problem} onRetry={() => void list.refresh()} />}
        {items === null && isLoading && <LoadingRows what="the payments" />}
        {items?.length === 0 && (
          <Empty icon={IconCoins} title={filter === 'all' ? 'No payments yet' : 'No matching payments'}>
            {filter === 'all'
              ? 'Requests paid with x402 are listed here with their payers.'
              : 'There are no payments with this status. Choose another filter.'}
          </Empty>
        )}
        {items !== null && items.length > 0 && (
          <ul className={classes['list']}>
            {items.map((payment) => (
              <PayerItem key={payment.id} payment={payment} />
            ))}
          </ul>
        )}
        {hasMore && (
          <Button
            variant="default"
            fullWidth
            mt="sm"
            loading={isLoadingMore}
            onClick={() => void list.more()}
          >
            Show older payments
          </Button>
        )}
      </Section>
    </Page>
  );
}

function PayerItem({ payment }: { payment: RequestPayment }) {
  const { payer, status, service, units, credits, amount, network, failure, transaction } = payment;
  const { color, label } = statuses[status];
  return (
    <li className={classes['payment']} data-testid="request-payment" data-status={status} data-payer={payer}>
      <Text ff="monospace" title={payer}>
        {shortAddress(payer)}
      </Text>
      <Badge variant="light" color={color} tt="none" fw={500}>
        {label}
      </Badge>
      <Text size="sm">
        {service} × {inDigits(units)}, worth {counted(credits, 'credit')}
      </Text>
      <Text size="sm" c="dimmed">
        <Ago at={payment.createdAt} />
      </Text>
      <Text size="xs" c="dimmed" className={classes['whole'] ?? ''}>
        {payment.method} {payment.path} · {amount} units of {shortAddress(payment.asset)} on {network}
        {transaction && ` · transaction ${transaction}`}
        {failure && ` · ${failure}`}
      </Text>
    </li>
  );
}

const statuses: Record<RequestPayment['status'], { color: string; label: string }> = {
  settling: { color: 'amber', label: 'settling' },
  settled: { color: 'amber', label: 'paid, request failed' },
  done: { color: 'pine', label: 'done' },
  failed: { color: 'gray', label: 'not paid' },
};
