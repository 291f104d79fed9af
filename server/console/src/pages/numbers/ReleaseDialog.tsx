import { Alert, List, Text } from '@mantine/core';
import type { PhoneNumber } from '@parley/sdk';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useAction } from '../../data/useAction.ts';
import { formatPhoneNumber } from '../../phone/phoneNumbers.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { onDay } from '../../ui/numbers.ts';

/** Asks whether to release a number, and explains the consequences. */
export function ReleaseDialog({ number, onClose }: { number: PhoneNumber; onClose: () => void }) {
  const { client } = useSignedIn();
  const { id, phoneNumber, expiresAt, status, webhook } = number;
  const release = useAction(() => client.numbers.release(id), {
    refreshes: ['numbers'],
  });
  return (
    <ConfirmDialog
      title={`Release ${formatPhoneNumber(phoneNumber)}?`}
      action={release}
      label="Release number"
      onClose={onClose}
      testId="release"
    >
      <Alert
        color="amber"
        variant="light"
        icon={<IconAlertTriangle />}
        title="You lose this number permanently"
      >
        Another person can buy it immediately and receives the texts sent to it. First, change it in every
        service where you sign in with it.
      </Alert>
      <List listStyleType="disc">
        {status === 'active' && (
          <List.Item>The paid time until {onDay(expiresAt)} is not refunded.</List.Item>
        )}
        <List.Item>It stops sending and receiving immediately.</List.Item>
        {webhook && <List.Item>Its webhook receives no more events.</List.Item>}
      </List>
      <Text size="sm" c="dimmed">
        Its messages stay in your conversations.
      </Text>
    </ConfirmDialog>
  );
}
