import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Problem } from './explain.ts';

interface Props {
  problem: Problem;
  onRetry?: (() => void) | undefined;
  onClose?: () => void;
}

/** Shows a problem with advice, and optionally with buttons to try again or to dismiss it. */
export function ProblemAlert({ problem, onRetry, onClose }: Props) {
  const { title, advice, requestId, canRetry } = problem;
  return (
    <Alert
      color="brick"
      variant="light"
      radius="lg"
      role="alert"
      title={title}
      icon={<IconAlertTriangle />}
      data-testid="problem"
      data-code={problem.code}
      {...(onClose ? { withCloseButton: true, closeButtonLabel: 'Dismiss', onClose } : {})}
    >
      <Text size="sm">{advice}</Text>
      {requestId && (
        <Text size="xs" c="dimmed" mt={4}>
          {requestId}
        </Text>
      )}
      {canRetry && onRetry && (
        <Group mt="sm">
          <Button size="compact-md" color="brick" variant="filled" onClick={onRetry}>
            Try again
          </Button>
        </Group>
      )}
    </Alert>
  );
}
