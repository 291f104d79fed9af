import { Button, Group, Stack, Text } from '@mantine/core';
import type { Subscription } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { onDay } from '../../ui/numbers.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';

/** Cancels a plan as of the end of the paid month, after asking for confirmation. */
export function CancelPlan({ subscription }: { subscription: Subscription }) {
  const { client } = useSignedIn();
  const [isAsking, setIsAsking] = useState(false);
  const { run, isRunning, problem } = useAction(() => client.account.cancelSubscription(), {
    refreshes: ['plan'],
  });
  const { plan, currentPeriodEnd } = subscription;
  const cancel = async () => {
    if (await run()) setIsAsking(false);
  };
  const close = () => setIsAsking(false);
  return (
    <div>
      <Button variant="default" onClick={() => setIsAsking(true)} data-testid="plan-cancel">
        Cancel plan
      </Button>
      {isAsking && (
        <Dialog title={`Cancel ${plan?.name ?? 'the plan'}?`} onClose={close} testId="cancel-dialog">
          <Stack gap="md">
            <Text>
              The plan runs until the end of the paid month
              {currentPeriodEnd && `, ${onDay(currentPeriodEnd)}`}. You are not charged after that, and you
              keep your credits.
            </Text>
            {problem && <ProblemAlert problem={problem} />}
            <Group justify="flex-end" gap="sm">
              <Button variant="default" onClick={close} data-autofocus>
                Keep plan
              </Button>
              <Button
                color="brick"
                loading={isRunning}
                onClick={() => void cancel()}
                data-testid="plan-cancel-confirm"
              >
                Cancel plan
              </Button>
            </Group>
          </Stack>
        </Dialog>
      )}
    </div>
  );
}
