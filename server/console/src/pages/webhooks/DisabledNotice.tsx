import { Alert, Button, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { atMoment } from '../../ui/numbers.ts';

interface Props {
  since: Date;
  isRunning: boolean;
  onEnable: () => void;
}

/** Says why nothing is posted any more, and what to do about it. */
export function DisabledNotice({ since, isRunning, onEnable }: Props) {
  return (
    <Alert
      color="amber"
      variant="light"
      icon={<IconPlugConnectedX />}
      title="Switched off: your server said it is gone"
      data-testid="webhook-disabled"
    >
      <Text size="sm">
        It answered 410 on {atMoment(since)}, so nothing is posted any more. What happens meanwhile is not
        posted later. Once your server takes events again, switch it on.
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
        Switch it on
      </Button>
    </Alert>
  );
}
