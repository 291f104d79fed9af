import { CopyField } from '@parley/react';
import { Button, List, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../data/useAction.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { useSessionController } from './ParleyClient.tsx';

interface Props {
  /** What the wallet has, for example `2 phone numbers`. */
  holdings: string[];
  onClose: () => void;
}

/** Asks before a temporary wallet signs out that owns something, and offers its private key. */
export function SignOutDialog({ holdings, onClose }: Props) {
  const session = useSessionController();
  const [isShown, setIsShown] = useState(false);
  const signOut = useAction(() => session.signOut());
  return (
    <ConfirmDialog
      title="Sign out and lose this wallet?"
      action={signOut}
      label="Sign out"
      cancel="Stay signed in"
      onClose={onClose}
      testId="sign-out-throwaway"
    >
      <Text size="sm">
        This wallet exists only in this tab. After you sign out, only its private key gives access to:
      </Text>
      <List size="sm">
        {holdings.map((each) => (
          <List.Item key={each}>{each}</List.Item>
        ))}
      </List>
      {isShown ? (
        <CopyField
          label="Private key"
          hint="Import it into a wallet app to sign in with this wallet again. Keep it secret: it gives full access."
          value={session.temporaryKey() ?? ''}
          data-testid="private-key"
          autoFocus
        />
      ) : (
        <Button
          variant="light"
          leftSection={<IconKey size={18} />}
          onClick={() => setIsShown(true)}
          data-testid="show-private-key"
        >
          Show the private key
        </Button>
      )}
    </ConfirmDialog>
  );
}
