import { Button, Group } from '@mantine/core';
import { IconKey, IconPencil, IconSend, IconTrash } from '@tabler/icons-react';

interface Props {
  isTesting: boolean;
  canTest: boolean;
  onTest: () => void;
  onEdit: () => void;
  onRotate: () => void;
  onRemove: () => void;
}

/** The buttons for the actions on a webhook. */
export function WebhookTasks({ isTesting, canTest, onTest, onEdit, onRotate, onRemove }: Props) {
  return (
    <Group gap="xs">
      <Button
        leftSection={<IconSend size={16} />}
        loading={isTesting}
        disabled={!canTest}
        onClick={onTest}
        data-testid="webhook-test"
      >
        Send test event
      </Button>
      <Button
        variant="default"
        leftSection={<IconPencil size={16} />}
        onClick={onEdit}
        data-testid="webhook-edit"
      >
        Edit
      </Button>
      <Button
        variant="default"
        leftSection={<IconKey size={16} />}
        onClick={onRotate}
        data-testid="webhook-rotate"
      >
        New secret
      </Button>
      <Button
        variant="subtle"
        color="brick"
        leftSection={<IconTrash size={16} />}
        onClick={onRemove}
        data-testid="webhook-remove"
      >
        Remove
      </Button>
    </Group>
  );
}
