import { Skeleton, Text } from '@mantine/core';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { counted, inDigits, inDollars } from '../../ui/numbers.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';
import classes from './BillingPage.module.css';

/** The balance and the reserved credits. */
export function CreditsCard() {
  const { account } = useSignedIn();
  const { value, isLoading, problem } = useLoaded(account.credits);
  return (
    <Section title="Credits" testId="credits">
      {problem && <ProblemAlert problem={problem} onRetry={() => void account.credits.refresh()} />}
      {!value && isLoading && <Skeleton height={104} radius="md" aria-label="Loading your credits" />}
      {value && (
        <div className={classes['amount']}>
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
        </div>
      )}
    </Section>
  );
}
