import { Button } from '@mantine/core';
import { IconHash, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { Page } from '../../ui/Page.tsx';
import { Section } from '../../ui/Section.tsx';
import { BuyNumberDialog } from './BuyNumberDialog.tsx';
import { NumberList } from './NumberList.tsx';
import { OpenOrdersCard } from './OpenOrdersCard.tsx';

const refreshMs = 5_000;

/** The account's phone numbers, and a button to buy another one. */
export function NumbersPage() {
  const { numbers } = useSignedIn().queries;
  const known = useList(numbers, { isRead: false }).value;
  // The carrier has not answered yet. The order is unknown if the page was reloaded before its answer.
  const isWaiting = known?.some(({ status }) => status === 'pending') ?? false;
  const list = useList(numbers, { everyMs: isWaiting && refreshMs });
  const [isBuying, setIsBuying] = useState(false);
  const hasNone = list.value?.every(({ status }) => status === 'released') ?? false;
  const buy = (
    <Button
      leftSection={hasNone ? <IconHash size={18} /> : <IconPlus size={18} />}
      onClick={() => setIsBuying(true)}
      data-testid="buy-number"
    >
      {hasNone ? 'Buy your first number' : 'Buy a number'}
    </Button>
  );
  return (
    <Page
      title="Numbers"
      hint="Rent phone numbers by the month. They send and receive texts and notify your server of each one."
    >
      <OpenOrdersCard />
      <Section title="Your numbers" tools={!hasNone && list.value !== null && buy} testId="numbers">
        {hasNone && (
          <Empty icon={IconHash} title="No numbers yet" action={buy}>
            Choose a country and one of its available numbers. People can text it immediately. Without a
            number of your own, your texts are sent from a shared number.
          </Empty>
        )}
        <LoadedList
          list={list}
          what="your numbers"
          rowHeight={110}
          empty={null}
          more="Show older numbers"
          render={(items) => <NumberList numbers={items} />}
        />
      </Section>
      {isBuying && <BuyNumberDialog onClose={() => setIsBuying(false)} />}
    </Page>
  );
}
