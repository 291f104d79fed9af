import { ProblemAlert } from '@parley/react';
import { Switch } from '@mantine/core';
import type { PhoneNumber } from '@parley/sdk';
import { useAction } from '../../data/useAction.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { onDay } from '../../ui/numbers.ts';

/** Switches automatic renewal on or off, and explains the effect. */
export function AutoRenewSwitch({ number }: { number: PhoneNumber }) {
  const { client } = useSignedIn();
  const { id, autoRenew, expiresAt, status } = number;
  const { run, isRunning, problem } = useAction(
    (isWanted: boolean) => client.numbers.setAutoRenew(id, isWanted),
    { refreshes: ['numbers'] },
  );
  const what =
    status === 'expired'
      ? 'The number receives nothing until you renew it.'
      : autoRenew
        ? `Renews on ${onDay(expiresAt)} if you have enough credits.`
        : `Expires on ${onDay(expiresAt)} unless you renew it.`;
  return (
    <>
      <Switch
        label="Renew automatically every month"
        description={what}
        checked={autoRenew}
        // Not disabled while a change is running, because a disabled switch would lose the focus.
        aria-busy={isRunning}
        onChange={(event) => {
          if (!isRunning) void run(event.currentTarget.checked);
        }}
        data-testid="auto-renew"
      />
      {problem && <ProblemAlert problem={problem} />}
    </>
  );
}
