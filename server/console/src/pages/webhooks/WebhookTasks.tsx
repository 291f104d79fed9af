import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconKey, IconPencil, IconSend, IconTrash } from '@tabler/icons-react';

interface Props {
  /** `webhook` of a number, or `endpoint` of the account. */
  of: 'webhook' | 'endpoint';
  isTesting: boolean;
  canTest: boolean;
  onTest: () => void;
  onEdit: () => void;
  onRotate: () => void;
  onRemove: () => void;
  /** Further buttons. */
  children?: ReactNode;
}

/** The buttons for the actions on a webhook. */
export function WebhookTasks(props: Props) {
  const { of, isTesting, canTest, onTest, onEdit, onRotate, onRemove, children } = props;
  return (
    <Group gap="xs">
      <Button
        leftSection={<IconSend size={16} />}
        loading={isTesting}
        disabled={!canTest}
        onClick={onTest}
        data-testid={`${of}-test`}
      >
        Send test event
      </Button>
      <Button
        variant="default"
        leftSection={<IconPencil size={16} />}
        onClick={onEdit}
        data-testid={`${of}-edit`}
      >
        Edit
      </Button>
      <Button
        variant="default"
        leftSection={<IconKey size={16} />}
        onClick={onRotate}
        data-testid={`${of}-rotate`}
      >
        New secret
      </Button>
      {children}
      <Button
        variant="subtle"
        color="brick"
        leftSection={<IconTrash size={16} />}
        onClick={onRemove}
        data-testid={`${of}-remove`}
      >
        Remove
      </Button>
    </Group>
  );
}
