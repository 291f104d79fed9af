import { Alert, Button, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface Props {
  /** `webhook` of a number, or `endpoint` of the account. */
  of: 'webhook' | 'endpoint';
  /** The reason, and what it means. */
  children: ReactNode;
  isRunning: boolean;
  onEnable: () => void;
}

/** Explains why a webhook is disabled, and enables it again. */
export function DisabledNotice({ of, children, isRunning, onEnable }: Props) {
  return (
    <Alert
      color="amber"
      variant="light"
      icon={<IconPlugConnectedX />}
      title={of === 'webhook' ? 'Webhook disabled' : 'Endpoint disabled'}
      data-testid={`${of}-disabled`}
    >
      <Text size="sm">{children}</Text>
      <Button
        mt="sm"
        size="compact-md"
        fz="sm"
        color="amber"
        loading={isRunning}
        onClick={onEnable}
        data-testid={`${of}-enable`}
      >
        Enable {of}
      </Button>
    </Alert>
  );
}
