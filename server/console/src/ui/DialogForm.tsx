import { ProblemAlert } from '@parley/react';
import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useHeldDialog } from './Dialog.tsx';
import type { Problem } from './explain.ts';

interface Props {
  onSubmit: () => Promise<void>;
  onCancel: () => void;
  /** The name of the action. */
  label: string;
  isRunning: boolean;
  problem: Problem | null;
  canSubmit?: boolean;
  /** Names the submitting button. */
  testId: string;
  /** The fields. */
  children: ReactNode;
}

/** The form of a dialog, with the problem of its action and buttons to submit it, or to cancel it until the action runs. */
export function DialogForm(props: Props) {
  const { onSubmit, onCancel, label, isRunning, problem, testId, children } = props;
  const { canSubmit = true } = props;
  useHeldDialog(isRunning);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (canSubmit) void onSubmit();
      }}
      noValidate
    >
      <Stack gap="md">
        {children}
        {problem && <ProblemAlert problem={problem} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel} disabled={isRunning}>
            Cancel
          </Button>
          <Button type="submit" loading={isRunning} disabled={!canSubmit} data-testid={testId}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
