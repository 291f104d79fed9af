import { Button, Group, List, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Dialog } from '../ui/Dialog.tsx';

/** Warns after a revocation that webhooks created with the key still receive events. */
export function RemainingWebhooks({ urls, onClose }: { urls: string[]; onClose: () => void }) {
  return (
    <Dialog title="Key revoked" onClose={onClose} testId="kept-webhooks">
      <Stack gap="md">
        <Text>
          Webhooks created with this key still receive events. Remove the ones you don’t recognize, especially
          if the key leaked.
        </Text>
        <List size="sm" listStyleType="disc">
          {urls.map((url, at) => (
            <List.Item key={at} style={{ overflowWrap: 'anywhere' }}>
              {url}
            </List.Item>
          ))}
        </List>
        <Group justify="flex-end" gap="sm">
          <Button component={Link} href="/webhooks" variant="default">
            Open webhooks
          </Button>
          <Button onClick={onClose} data-autofocus data-testid="kept-webhooks-close">
            Done
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
