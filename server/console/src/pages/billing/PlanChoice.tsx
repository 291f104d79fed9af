import { ProblemAlert } from '@parley/react';
import { Button, Text } from '@mantine/core';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { LoadedValue } from '../../ui/LoadedValue.tsx';
import { counted, inDollars } from '../../ui/numbers.ts';
import classes from './BillingPage.module.css';
import { useCheckout } from './useCheckout.ts';

/** The available plans, for an account without one. */
export function PlanChoice() {
  const { client, queries } = useSignedIn();
  const plans = useLoaded(queries.plans);
  const checkout = useCheckout((planId: string) => client.account.subscribe(planId));
  const { value: takesCards } = useLoaded(queries.takesCards);
  // TopUpCard already explains, by NoCards, that card payments are not available.
  if (takesCards === false) return null;
  return (
    <>
      {checkout.problem && <ProblemAlert problem={checkout.problem} />}
      <LoadedValue of={plans} what="the plans" rowHeight={64}>
        {({ data }) =>
          data.length > 0 && (
            <ul>
              {data.map(({ id, name, monthlyCredits, price, leakSearches }) => (
                <li key={id} className={classes['plan']} data-testid="plan-offer" data-plan={id}>
                  <div>
                    <Text fw={600}>{name}</Text>
                    <Text size="sm" c="dimmed">
                      {counted(monthlyCredits, 'credit')}
                      {leakSearches > 0 &&
                        ` and ${counted(leakSearches, 'breach search', 'breach searches')}`}{' '}
                      a month for {inDollars(1, price)}
                    </Text>
                  </div>
                  <Button
                    variant="light"
                    loading={checkout.isRunning}
                    aria-label={`Choose ${name}`}
                    onClick={() => void checkout.run(id)}
                    data-testid="plan-choose"
                  >
                    Choose
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </LoadedValue>
    </>
  );
}
