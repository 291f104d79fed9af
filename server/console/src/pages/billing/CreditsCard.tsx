import { Stack, Text } from '@mantine/core';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { LoadedValue } from '../../ui/LoadedValue.tsx';
import { counted, inDigits, inDollars } from '../../ui/numbers.ts';
import { Section } from '../../ui/Section.tsx';
import classes from './BillingPage.module.css';

/** The balance and the reserved credits. */
export function CreditsCard() {
  const credits = useLoaded(useSignedIn().queries.credits);
  return (
    <Section title="Credits" testId="credits">
      <LoadedValue of={credits} what="your credits" rowHeight={104}>
        {(value) => (
          <Stack gap={4} mih="6.5rem">
            <span className={classes['large']} data-testid="balance" data-credits={value.credits}>
              {inDigits(value.credits)}
            </span>
            <Text c="dimmed">
              worth {inDollars(value.credits, value.creditValue)}; one credit is{' '}
              {inDollars(1, value.creditValue)}
            </Text>
            <Text size="sm" c="dimmed" data-testid="reserved">
              {value.reserved > 0
                ? `${counted(value.reserved, 'credit')} reserved for pending purchases.`
                : 'No credits are reserved.'}
            </Text>
          </Stack>
        )}
      </LoadedValue>
    </Section>
  );
}
