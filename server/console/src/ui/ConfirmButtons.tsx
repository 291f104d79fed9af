import { Button, Group } from '@mantine/core';

interface ConfirmButtonsProps {
  /** The name of the action, for example `Revoke key`. */
  label: string;
  isRunning: boolean;
  onConfirm: () => void;
  onClose: () => void;
  testId: string;
}

/** The buttons of a dialog that confirms a destructive action. "Cancel" has the focus. */
export function ConfirmButtons({ label, isRunning, onConfirm, onClose, testId }: ConfirmButtonsProps) {
  return (
    <Group justify="flex-end" gap="sm">
      <Button variant="default" onClick={onClose} data-autofocus>
        Cancel
      </Button>
      <Button color="brick" loading={isRunning} onClick={onConfirm} data-testid={testId}>
        {label}
      </Button>
    </Group>
  );
}
