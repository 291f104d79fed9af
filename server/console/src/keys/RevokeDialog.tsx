import { useNow } from '@parley/react';
import { Alert, Checkbox, Text } from '@mantine/core';
import type { ApiKey, RevokedApiKey } from '@parley/sdk';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../data/useAction.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { RemainingWebhooks } from './RemainingWebhooks.tsx';
import { isInUse, shortKey } from './keyState.ts';
import { LastUsed } from './LastUsed.tsx';

/** Asks whether to revoke a key, and warns if the key is in use. */
export function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { client } = useSignedIn();
  const now = useNow(15_000);
  const [removeWebhooks, setRemoveWebhooks] = useState(false);
  const revoke = useAction(() => client.apiKeys.revoke(apiKey.id, { removeWebhooks }), {
    refreshes: ['keys'],
  });
  const [kept, setKept] = useState<string[]>([]);
  const done = ({ webhooks, endpoints }: RevokedApiKey) => {
    const left = [...webhooks, ...endpoints].filter(({ isRemoved }) => !isRemoved);
    if (left.length > 0) setKept(left.map(({ url }) => url));
    else onClose();
  };
  if (kept.length > 0) return <RemainingWebhooks urls={kept} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={`Revoke “${apiKey.name}”?`}
      action={revoke}
      label="Revoke key"
      onClose={onClose}
      onDone={done}
      testId="revoke"
    >
      <div>
        <Text ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {shortKey(apiKey)}
        </Text>
        <Text size="sm" c="dimmed" data-testid="revoke-last-used">
          Last used: <LastUsed of={apiKey} />
        </Text>
      </div>
      <Text>
        Requests with this key are refused immediately. This cannot be undone, but you can create another key.
      </Text>
      {isInUse(apiKey, now) && (
        <Alert color="amber" variant="light" icon={<IconAlertTriangle />} title="The key is in use">
          To replace it without interruption, rotate it instead. If it leaked, revoke it now.
        </Alert>
      )}
      <Checkbox
        label="Also remove the webhooks created with this key"
        description="Otherwise they keep receiving events. Remove them if the key leaked."
        checked={removeWebhooks}
        onChange={(event) => setRemoveWebhooks(event.currentTarget.checked)}
      />
    </ConfirmDialog>
  );
}
