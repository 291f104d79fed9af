import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { CopyField } from '../../ui/CopyField.tsx';
import { Dialog } from '../../ui/Dialog.tsx';

/** The secret, the one time it is shown. */
export function WebhookSecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog title="The secret of the webhook" onClose={onClose} isHeld testId="webhook-secret-dialog">
      <Stack gap="md">
        <Alert color="amber" variant="light" icon={<IconEyeOff />} title="Shown this once, and never again">
          Your server verifies with it that an event comes from here. Store it where your server finds it; a
          new one can be made at any time.
        </Alert>
        <CopyField label="Secret" value={secret} testId="webhook-secret" autoFocus />
        <Text size="sm" c="dimmed">
          In your server: <code>verifyWebhook(body, headers, secret)</code> of @parley/sdk, or any library for
          Standard Webhooks.
        </Text>
        <Button onClick={onClose} data-testid="webhook-secret-done">
          I have stored it
        </Button>
      </Stack>
    </Dialog>
  );
}
