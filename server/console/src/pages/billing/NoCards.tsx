import { Alert } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';

/** Explains how to get credits on a server without Stripe. */
export function NoCards() {
  return (
    <Alert
      color="gray"
      radius="lg"
      icon={<IconInfoCircle />}
      title="Card payments are not available"
      data-testid="no-cards"
    >
      The operator of this server has not set up Stripe. Ask the operator to grant credits or a plan to your
      account, and give them the account ID from your profile.
    </Alert>
  );
}
