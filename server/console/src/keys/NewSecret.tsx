import { Alert, Button, Checkbox, Stack } from '@mantine/core';
import type { CreatedApiKey } from '@parley/sdk';
import { IconEyeOff } from '@tabler/icons-react';
import { useState } from 'react';
import { CopyField } from '../ui/CopyField.tsx';
import { useGuardedTab } from '../ui/useGuardedTab.ts';
import { FirstUse } from './FirstUse.tsx';

interface Props {
  created: CreatedApiKey;
  /** What the button says that goes on. */
  then: string;
  onStored: () => void;
}

/** A secret, the one time it is shown: whoever goes on has said that it is stored. */
export function NewSecret({ created, then, onStored }: Props) {
  const [isStored, setIsStored] = useState(false);
  const [wasTried, setWasTried] = useState(false);
  useGuardedTab();
  const goOn = () => (isStored ? onStored() : setWasTried(true));
  return (
    <Stack gap="md" data-testid="new-secret">
      <Alert color="amber" variant="light" icon={<IconEyeOff />} title="Shown this once, and never again">
        Store it like a password: in a secret manager or your server’s environment, never in version control
        or in a web page.
      </Alert>
      <CopyField label={`The secret of “${created.name}”`} value={created.secret} testId="secret" autoFocus />
      <CopyField
        label="Try it in a terminal"
        value={`curl -H "Authorization: Bearer ${created.secret}" ${location.origin}/api/v1/account`}
        testId="curl"
      />
      <FirstUse keyId={created.id} />
      <Checkbox
        label="I have stored the secret where I will find it again"
        checked={isStored}
        onChange={(event) => setIsStored(event.currentTarget.checked)}
        error={wasTried && !isStored && 'Tick this first: nobody can show you the secret again.'}
        data-testid="secret-stored"
      />
      <Button onClick={goOn} data-testid="secret-done">
        {then}
      </Button>
    </Stack>
  );
}
