import { CopyField } from '@parley/react';
import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { Dialog } from '../../ui/Dialog.tsx';

/** Shows the webhook secret, which is shown only once. */
export function WebhookSecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog title="Webhook secret" onClose={onClose} isHeld testId="webhook-secret-dialog">
      <Stack gap="md">
        <Alert
          color="amber"
          variant="light"
          icon={<IconEyeOff />}
          title="Copy this secret now: it is shown only once"
        >
          Your server uses it to verify that events come from this server. Store it on your server. You can
          create a new one at any time.
        </Alert>
        <CopyField label="Secret" value={secret} data-testid="webhook-secret" autoFocus />
        <Text size="sm" c="dimmed">
          On your server, use <code>verifyWebhook(body, headers, secret)</code> from @parley/sdk or any
          Standard Webhooks library.
        </Text>
        <Button onClick={onClose} data-testid="webhook-secret-done">
          I have stored the secret
        </Button>
      </Stack>
    </Dialog>
  );
}
