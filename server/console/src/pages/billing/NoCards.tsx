import { Alert } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';

/** For a server without Stripe: how else to get credits. */
export function NoCards() {
  return (
    <Alert
      color="gray"
      radius="lg"
      icon={<IconInfoCircle />}
      title="This server takes no cards"
      data-testid="no-cards"
    >
      Its operator has not set up Stripe. Ask the operator to grant credits or a plan to your account, and
      send them your account id from the account page.
    </Alert>
  );
}
