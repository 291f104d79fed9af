import { ProblemAlert } from '@parley/react';
import { Box, Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Problem } from '../../ui/explain.ts';

interface Props {
  field: ReactNode;
  action: string;
  isReady: boolean;
  isRunning: boolean;
  problem: Problem | null;
  onAsk: () => void;
  testId: string;
  /** The result. */
  children: ReactNode;
}

/** A field, the button that submits it, and the result below. */
export function QuestionForm({ field, action, isReady, isRunning, problem, onAsk, testId, children }: Props) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !isRunning) onAsk();
      }}
      noValidate
    >
      <Stack gap="md">
        <Group gap="sm" align="flex-end">
          <Box flex="1 1 14rem" miw={0}>
            {field}
          </Box>
          <Button type="submit" loading={isRunning} disabled={!isReady} data-testid={`${testId}-submit`}>
            {action}
          </Button>
        </Group>
        {problem && <ProblemAlert problem={problem} />}
        <div aria-live="polite">{children}</div>
      </Stack>
    </form>
  );
}
