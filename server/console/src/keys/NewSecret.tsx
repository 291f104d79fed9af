import { CopyField } from '@parley/react';
import { Alert, Button, Checkbox, Stack } from '@mantine/core';
import type { CreatedApiKey } from '@parley/sdk';
import { IconEyeOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useGuardedTab } from '../ui/useGuardedTab.ts';
import { FirstUse } from './FirstUse.tsx';

interface Props {
  created: CreatedApiKey;
  /** The label of the button that continues. */
  then: string;
  onStored: () => void;
}

/** Shows a new secret, which is shown only once. To continue, the user has to confirm that the secret is stored. */
export function NewSecret({ created, then, onStored }: Props) {
  const [isStored, setIsStored] = useState(false);
  const [wasTried, setWasTried] = useState(false);
  useGuardedTab();
  const proceed = () => (isStored ? onStored() : setWasTried(true));
  return (
    <Stack gap="md" data-testid="new-secret">
      <Alert
        color="amber"
        variant="light"
        icon={<IconEyeOff />}
        title="Copy this secret now: it is shown only once"
      >
        Store it like a password, in a secret manager or in your server’s environment. Never put it into
        version control or a web page.
      </Alert>
      <CopyField
        label={`The secret of “${created.name}”`}
        value={created.secret}
        data-testid="secret"
        autoFocus
      />
      <CopyField
        label="Try it in a terminal"
        value={`curl -H "Authorization: Bearer ${created.secret}" ${location.origin}/api/v1/account`}
        data-testid="curl"
      />
      <FirstUse keyId={created.id} />
      <Checkbox
        label="I have stored the secret"
        checked={isStored}
        onChange={(event) => setIsStored(event.currentTarget.checked)}
        error={wasTried && !isStored && 'Confirm that you have stored the secret. It cannot be shown again.'}
        data-testid="secret-stored"
      />
      <Button onClick={proceed} data-testid="secret-done">
        {then}
      </Button>
    </Stack>
  );
}
