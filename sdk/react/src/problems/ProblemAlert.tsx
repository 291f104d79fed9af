import { IconAlertTriangle } from '@tabler/icons-react';
import { Alert, Row, Text } from '../ui/Basics.tsx';
import { Button } from '../ui/Button.tsx';
import { useWords } from '../words/WordsContext.tsx';
import type { Problem } from './explain.ts';

interface Props {
  problem: Problem;
  onRetry?: (() => void) | undefined;
  onClose?: (() => void) | undefined;
}

/** Shows a problem with advice, and optionally with buttons to try again or to dismiss it. */
export function ProblemAlert({ problem, onRetry, onClose }: Props) {
  const { dismiss, tryAgain } = useWords().common;
  const { title, advice, requestId, canRetry, code } = problem;
  return (
    <Alert
      title={title}
      icon={<IconAlertTriangle size={20} aria-hidden />}
      closeLabel={dismiss}
      onClose={onClose}
      data-testid="problem"
      data-code={code}
    >
      <span>{advice}</span>
      {requestId && (
        <Text size="xs" isDimmed>
          {requestId}
        </Text>
      )}
      {canRetry && onRetry && (
        <Row>
          <Button size="sm" isDanger onClick={onRetry}>
            {tryAgain}
          </Button>
        </Row>
      )}
    </Alert>
  );
}
