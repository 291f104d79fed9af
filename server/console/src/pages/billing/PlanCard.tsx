import { Group, Stack, Text } from '@mantine/core';
import type { Subscription } from '@parley/sdk';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { LoadedValue } from '../../ui/LoadedValue.tsx';
import { counted, inDollars, onDay } from '../../ui/numbers.ts';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import classes from './BillingPage.module.css';
import { CancelPlan } from './CancelPlan.tsx';
import { PlanChoice } from './PlanChoice.tsx';

/** The account's plan, or the available plans if the account has none. */
export function PlanCard() {
  const subscription = useLoaded(useSignedIn().queries.subscription);
  return (
    <Section title="Plan" testId="plan">
      <LoadedValue of={subscription} what="your plan" rowHeight={104}>
        {(value) => (
          <>
            <PlanDetails subscription={value} />
            {canChoose(value) && <PlanChoice />}
            {!canChoose(value) && !value.cancelAtPeriodEnd && <CancelPlan subscription={value} />}
          </>
        )}
      </LoadedValue>
    </Section>
  );
}

const canChoose = ({ status }: Subscription) => status === 'none' || status === 'canceled';

function PlanDetails({ subscription }: { subscription: Subscription }) {
  const { plan, status } = subscription;
  if (!plan || status === 'none') {
    return (
      <Stack gap={4} mih="6.5rem">
        <span className={classes['large']}>Pay as you go</span>
        <Text c="dimmed">No plan. You pay credits for each request and nothing else.</Text>
      </Stack>
    );
  }
  return (
    <Stack gap={4} mih="6.5rem">
      <span className={classes['large']}>{plan.name}</span>
      <Text c="dimmed">
        {counted(plan.monthlyCredits, 'credit')} a month for {inDollars(1, plan.price)}
      </Text>
      <Group gap="0.25rem 0.625rem">
        <StatusBadge {...badges[status]} />
        <Text size="sm" c="dimmed">
          {whatIsNext(subscription)}
        </Text>
      </Group>
    </Stack>
  );
}

const badges = {
  active: { color: 'pine', label: 'active' },
  past_due: { color: 'amber', label: 'payment due' },
  canceled: { color: 'gray', label: 'ended' },
};

function whatIsNext({ status, currentPeriodEnd, cancelAtPeriodEnd }: Subscription): string {
  if (!currentPeriodEnd) return '';
  const day = onDay(currentPeriodEnd);
  if (status === 'canceled') return `Since ${day}`;
  return cancelAtPeriodEnd ? `Ends on ${day}` : `Next credits on ${day}`;
}
