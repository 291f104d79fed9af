import { ProblemAlert } from '@parley/react';
import { Button, SegmentedControl, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { counted, inDollars } from '../../ui/numbers.ts';
import { Section } from '../../ui/Section.tsx';
import { NoCards } from './NoCards.tsx';
import { useCheckout } from './useCheckout.ts';

/** In dollars; one dollar is a hundred credits. */
const amounts = ['10', '25', '50', '100'];
const creditsPerDollar = 100;
const [least, most] = [1, 10_000];

/** Lets the user buy credits on a Stripe page. */
export function TopUpCard() {
  const { client, queries } = useSignedIn();
  const [choice, setChoice] = useState('10');
  const [own, setOwn] = useState('');
  const [wasTried, setWasTried] = useState(false);
  const { run, isRunning, problem } = useCheckout((amount: number) => client.account.topUp(amount));
  const { value: takesCards, problem: unknown } = useLoaded(queries.takesCards);
  const isOwn = choice === 'own';
  const dollars = isOwn ? amountOf(own) : Number(choice);
  const credits = Math.round(dollars * creditsPerDollar);
  const isValid = dollars >= least && dollars <= most;
  const pay = (event: FormEvent) => {
    event.preventDefault();
    setWasTried(true);
    if (isValid) void run(credits);
  };
  return (
    <Section
      title="Add credits"
      {...(takesCards ? { hint: 'Pay by card with Stripe.' } : {})}
      testId="top-up"
    >
      {takesCards === null && !unknown && (
        <Skeleton height={104} radius="md" aria-label="Loading payment options" />
      )}
      {takesCards === false && <NoCards />}
      {(takesCards ?? unknown !== null) && (
        <form onSubmit={pay} noValidate>
          <Stack gap="sm">
            <SegmentedControl
              fullWidth
              aria-label="Amount in US dollars"
              data={[
                ...amounts.map((value) => ({ value, label: `$${value}` })),
                { value: 'own', label: 'Other' },
              ]}
              value={choice}
              onChange={setChoice}
              data-testid="top-up-amounts"
            />
            {isOwn && (
              <TextInput
                label="Amount in US dollars"
                size="md"
                inputMode="decimal"
                leftSection="$"
                value={own}
                onChange={(event) => setOwn(event.currentTarget.value)}
                error={wasTried && !isValid && 'Enter an amount from $1 to $10,000.'}
                data-autofocus
                data-testid="top-up-own"
              />
            )}
            <Text size="sm" c="dimmed" data-testid="top-up-worth">
              {isValid
                ? `${counted(credits, 'credit')} for ${inDollars(dollars, '1')}`
                : 'One dollar is 100 credits.'}
            </Text>
            {problem && <ProblemAlert problem={problem} />}
            <Button
              type="submit"
              size="md"
              loading={isRunning}
              rightSection={<IconExternalLink size={18} />}
              data-testid="top-up-pay"
            >
              Pay with Stripe
            </Button>
          </Stack>
        </form>
      )}
    </Section>
  );
}

/**
 * Reads an amount. A comma is a decimal separator, too, because the keyboards of many phones have no dot. An amount with three digits after it
 * is not valid, because it may mean thousands.
 */
const amountOf = (text: string): number =>
  /^\d+([.,]\d{1,2})?$/.test(text.trim()) ? Number(text.trim().replace(',', '.')) : NaN;
