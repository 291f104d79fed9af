import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Problem } from '../../ui/explain.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import classes from './LookUps.module.css';

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
        <div className={classes['question']}>
          <div className={classes['field']}>{field}</div>
          <Button type="submit" loading={isRunning} disabled={!isReady} data-testid={`${testId}-submit`}>
            {action}
          </Button>
        </div>
        {problem && <ProblemAlert problem={problem} />}
        <div aria-live="polite">{children}</div>
      </Stack>
    </form>
  );
}
