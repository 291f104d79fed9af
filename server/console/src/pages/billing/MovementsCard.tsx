import { Button, SegmentedControl } from '@mantine/core';
import type { Movement } from '@parley/sdk';
import { IconReceipt } from '@tabler/icons-react';
import { useEffect, useMemo, useState } from 'react';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { useStore } from '../../session/Store.ts';
import { Empty } from '../../ui/Empty.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';
import classes from './BillingPage.module.css';
import { MovementItem } from './MovementItem.tsx';

type Filter = Movement['type'] | 'all';

const filters: { value: Filter; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'debit', label: 'Spent' },
  { value: 'credit', label: 'Added' },
  { value: 'refund', label: 'Refunded' },
];

/** The account's transactions, newest first. */
export function MovementsCard() {
  const { account } = useSignedIn();
  const [filter, setFilter] = useState<Filter>('all');
  const list = useMemo(() => account.history(filter === 'all' ? {} : { type: filter }), [account, filter]);
  const { items, hasMore, isLoading, isLoadingMore, problem } = useLoaded(list);
  // A change of the balance means a new transaction, so the list is read again.
  const { value } = useStore(account.credits.store);
  const balance = value?.credits;
  useEffect(() => void list.refresh(), [list, balance]);
  const tools = (
    <SegmentedControl
      aria-label="Filter transactions"
      data={filters}
      value={filter}
      onChange={(value) => setFilter(value)}
      data-testid="movement-filter"
    />
  );
  return (
    <Section title="History" tools={tools} testId="movements">
      {problem && <ProblemAlert problem={problem} onRetry={() => void list.refresh()} />}
      {items === null && isLoading && <LoadingRows what="the history" />}
      {items?.length === 0 && (
        <Empty
          icon={IconReceipt}
          title={filter === 'all' ? 'No transactions yet' : 'No matching transactions'}
        >
          {filter === 'all'
            ? 'Credits that you add, spend or get refunded are listed here.'
            : 'There are no transactions of this kind. Choose another filter.'}
        </Empty>
      )}
      {items !== null && items.length > 0 && (
        <ul className={classes['list']}>
          {items.map((movement) => (
            <MovementItem key={movement.id} movement={movement} />
          ))}
        </ul>
      )}
      {hasMore && (
        <Button variant="default" fullWidth mt="sm" loading={isLoadingMore} onClick={() => void list.more()}>
          Show older transactions
        </Button>
      )}
    </Section>
  );
}
