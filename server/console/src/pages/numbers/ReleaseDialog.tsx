import { Alert, Stack, Text } from '@mantine/core';
import type { PhoneNumber } from '@parley/sdk';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useAction } from '../../data/useAction.ts';
import { written } from '../../phone/written.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { ConfirmButtons } from '../../ui/ConfirmButtons.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { onDay } from '../../ui/numbers.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import classes from './Numbers.module.css';

/** Asks once more, and says what is lost. */
export function ReleaseDialog({ number, onClose }: { number: PhoneNumber; onClose: () => void }) {
  const { phone } = useSignedIn();
  const { run, isRunning, problem } = useAction(phone.releaseNumber);
  const { id, phoneNumber, expiresAt, status, webhook } = number;
  const release = async () => {
    if (await run(id)) onClose();
  };
  return (
    <Dialog title={`Give back ${written(phoneNumber)}?`} onClose={onClose} testId="release-dialog">
      <Stack gap="md">
        <Alert color="amber" variant="light" icon={<IconAlertTriangle />} title="You lose it for good">
          Somebody else can buy it at once, and gets what people text to it. Change it first wherever you log
          in with it.
        </Alert>
        <ul className={classes['losses']}>
          {status === 'active' && <li>What is paid until {onDay(expiresAt)} is not given back.</li>}
          <li>It neither sends nor receives from that moment on.</li>
          {webhook && <li>Its webhook hears nothing any more.</li>}
        </ul>
        <Text size="sm" c="dimmed">
          What was written with it stays in your messages.
        </Text>
        {problem && <ProblemAlert problem={problem} />}
        <ConfirmButtons
          label="Give it back"
          isRunning={isRunning}
          onConfirm={() => void release()}
          onClose={onClose}
          testId="release-confirm"
        />
      </Stack>
    </Dialog>
  );
}
