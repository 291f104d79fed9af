import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../../ui/Dialog.tsx';

interface Props {
  title: string;
  /** The label of the confirming button. */
  action: string;
  isDangerous?: boolean;
  isRunning: boolean;
  onDo: () => void;
  onClose: () => void;
  /** The consequences. */
  children: ReactNode;
}

/** Asks the user to confirm an action. */
export function ConfirmDialog({
  title,
  action,
  isDangerous = false,
  isRunning,
  onDo,
  onClose,
  children,
}: Props) {
  return (
    <Dialog title={title} onClose={onClose} testId="ask-again">
      <Stack gap="md">
        <Text>{children}</Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button
            {...(isDangerous && { color: 'brick' })}
            loading={isRunning}
            onClick={onDo}
            data-testid="ask-again-confirm"
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
