import { SegmentedControl } from '@mantine/core';
import type { Movement } from '@parley/sdk';
import { IconReceipt } from '@tabler/icons-react';
import { useState } from 'react';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { Section } from '../../ui/Section.tsx';
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
  const { queries } = useSignedIn();
  const [filter, setFilter] = useState<Filter>('all');
  const list = useList(queries.movements(filter));
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
      <LoadedList
        list={list}
        what="the history"
        rowHeight={52}
        empty={
          <Empty
            icon={IconReceipt}
            title={filter === 'all' ? 'No transactions yet' : 'No matching transactions'}
          >
            {filter === 'all'
              ? 'Credits that you add, spend or get refunded are listed here.'
              : 'There are no transactions of this kind. Choose another filter.'}
          </Empty>
        }
        more="Show older transactions"
      >
        {(movement) => <MovementItem key={movement.id} movement={movement} />}
      </LoadedList>
    </Section>
  );
}
