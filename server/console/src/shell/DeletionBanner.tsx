import { Alert, Button, Group, Text } from '@mantine/core';
import { ProblemAlert } from '@parley/react';
import { IconTrash } from '@tabler/icons-react';
import { useAction } from '../data/useAction.ts';
import { useLoaded } from '../data/useLoaded.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { onDay } from '../ui/numbers.ts';

/** Says on every page that the account will be deleted, and lets the user keep it. */
export function DeletionBanner() {
  const { client, queries } = useSignedIn();
  const { value } = useLoaded(queries.deletion);
  const keep = useAction(() => client.account.restore().then(() => true), { refreshes: ['account'] });
  if (!value?.requested) return null;
  return (
    <Alert color="brick" icon={<IconTrash size={18} />} mb="md" data-testid="deletion-banner">
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          Your account and all its data will be deleted on {onDay(value.requested.deletesAt)}.
        </Text>
        <Button size="xs" loading={keep.isRunning} onClick={() => void keep.run()} data-testid="keep-account">
          Keep my account
        </Button>
      </Group>
      {keep.problem && <ProblemAlert problem={keep.problem} />}
    </Alert>
  );
}
