import { Button } from '@mantine/core';
import { IconHash, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { Page } from '../../ui/Page.tsx';
import { Section } from '../../ui/Section.tsx';
import { BuyNumberDialog } from './BuyNumberDialog.tsx';
import { NumberList } from './NumberList.tsx';
import { OpenOrdersCard } from './OpenOrdersCard.tsx';

/** The account's phone numbers, and the way to another one. */
export function NumbersPage() {
  const { phone } = useSignedIn();
  const state = useLoaded(phone.numbers);
  const [isBuying, setIsBuying] = useState(false);
  const hasNone = state.items?.every(({ status }) => status === 'released') ?? false;
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
      hint="Yours by the month: they send and receive texts, and tell your server of each."
    >
      <OpenOrdersCard />
      <Section title="Your numbers" tools={!hasNone && state.items !== null && buy} testId="numbers">
        {hasNone && (
          <Empty icon={IconHash} title="No number yet" action={buy}>
            Choose a country, then one of its free numbers. It is yours at once, and people can text it.
            Without one, your texts go out from a number that is shared.
          </Empty>
        )}
        <LoadedList
          list={phone.numbers}
          state={state}
          what="your numbers"
          rowHeight={110}
          empty={null}
          more="Show earlier numbers"
        >
          {(items) => <NumberList numbers={items} />}
        </LoadedList>
      </Section>
      {isBuying && <BuyNumberDialog onClose={() => setIsBuying(false)} />}
    </Page>
  );
}
