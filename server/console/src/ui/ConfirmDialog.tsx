import { ProblemAlert } from '@parley/react';
import { Button, Group, Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Action } from '../data/useAction.ts';
import { Dialog } from './Dialog.tsx';

interface Props<Result> {
  title: string;
  action: Action<[], Result>;
  /** The name of the action, for example `Revoke key`. */
  label: string;
  /** The label of the button that closes the dialog. */
  cancel?: string;
  isDangerous?: boolean;
  onClose: () => void;
  /** Called after the action. @default onClose */
  onDone?: (result: Result) => void;
  /** Names the dialog (`…-dialog`) and the confirming button (`…-confirm`). */
  testId: string;
  /** The consequences. */
  children: ReactNode;
}

/**
 * Asks the user to confirm an action. The button that closes the dialog has the focus. If the action fails, the dialog says why. While it
 * runs, nothing closes the dialog, because that would not cancel it.
 */
export function ConfirmDialog<Result>(props: Props<Result>) {
  const { title, action, label, cancel = 'Cancel', isDangerous = true, children } = props;
  const { onClose, onDone = onClose, testId } = props;
  // The action may have failed in an earlier dialog, and keeps that problem until it runs again.
  const [wasTried, setWasTried] = useState(false);
  const confirm = async () => {
    setWasTried(true);
    const result = await action.run();
    if (result !== null) onDone(result);
  };
  return (
    <Dialog title={title} onClose={onClose} isHeld={action.isRunning} testId={`${testId}-dialog`}>
      <Stack gap="md">
        {children}
        {wasTried && action.problem && <ProblemAlert problem={action.problem} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} disabled={action.isRunning} data-autofocus>
            {cancel}
          </Button>
          <Button
            {...(isDangerous && { color: 'brick' })}
            loading={action.isRunning}
            onClick={() => void confirm()}
            data-testid={`${testId}-confirm`}
          >
            {label}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
