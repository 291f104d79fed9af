import { Alert, Button, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { atMoment } from '../../ui/numbers.ts';

interface Props {
  since: Date;
  isRunning: boolean;
  onEnable: () => void;
}

/** Explains why the webhook is disabled, and enables it again. */
export function DisabledNotice({ since, isRunning, onEnable }: Props) {
  return (
    <Alert
      color="amber"
      variant="light"
      icon={<IconPlugConnectedX />}
      title="Webhook disabled"
      data-testid="webhook-disabled"
    >
      <Text size="sm">
        Your server answered 410 Gone on {atMoment(since)}, so no more events are sent. Events that happen now
        are not sent later. When your server accepts events again, enable the webhook.
      </Text>
      <Button
        mt="sm"
        size="compact-md"
        fz="sm"
        color="amber"
        loading={isRunning}
        onClick={onEnable}
        data-testid="webhook-enable"
      >
        Enable webhook
      </Button>
    </Alert>
  );
}
