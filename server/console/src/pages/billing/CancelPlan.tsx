import { Button, Text } from '@mantine/core';
import type { Subscription } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { onDay } from '../../ui/numbers.ts';

/** Cancels a plan as of the end of the paid month, after asking for confirmation. */
export function CancelPlan({ subscription }: { subscription: Subscription }) {
  const { client } = useSignedIn();
  const [isAsking, setIsAsking] = useState(false);
  const cancel = useAction(() => client.account.cancelSubscription(), { refreshes: ['plan'] });
  const { plan, currentPeriodEnd } = subscription;
  return (
    <div>
      <Button variant="default" onClick={() => setIsAsking(true)} data-testid="plan-cancel">
        Cancel plan
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Cancel ${plan?.name ?? 'the plan'}?`}
          action={cancel}
          label="Cancel plan"
          cancel="Keep plan"
          onClose={() => setIsAsking(false)}
          testId="plan-cancel"
        >
          <Text>
            The plan runs until the end of the paid month
            {currentPeriodEnd && `, ${onDay(currentPeriodEnd)}`}. You are not charged after that, and you keep
            your credits.
          </Text>
        </ConfirmDialog>
      )}
    </div>
  );
}
