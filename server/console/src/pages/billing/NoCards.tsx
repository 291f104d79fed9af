import { Alert } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';

/** Where Stripe is not configured: said plainly, with what else there is. */
export function NoCards() {
  return (
    <Alert
      color="gray"
      radius="lg"
      icon={<IconInfoCircle />}
      title="This server takes no cards"
      data-testid="no-cards"
    >
      Whoever runs it has not set up Stripe. They can grant credits or a plan to your account: name them your
      account id, which is on the account page. Nothing was charged.
    </Alert>
  );
}
