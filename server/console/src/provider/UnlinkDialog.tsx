import { Stack, Text } from '@mantine/core';
import type { AccountIdentity } from '@parley/sdk';
import { useAction } from '../data/useAction.ts';
import { useSessionController, useSignedIn } from '../session/ParleyClient.tsx';
import { ConfirmButtons } from '../ui/ConfirmButtons.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { ProblemAlert } from '../ui/ProblemAlert.tsx';

interface Props {
  identity: AccountIdentity;
  name: string;
  onClose: () => void;
  /** Shows what is left. */
  onUnlinked: () => Promise<void>;
}

/** Asks once more, and says what ends with it. */
export function UnlinkDialog({ identity, name, onClose, onUnlinked }: Props) {
  const session = useSessionController();
  const { kind, address } = useSignedIn();
  const { run, isRunning, problem } = useAction(async () => {
    await session.unlink(identity.id);
    await onUnlinked();
    return true;
  });
  const isWallet = identity.type === 'wallet';
  // A session counts as its wallet's once it has one, whatever it began with.
  const endsHere = isWallet ? address !== null : kind === 'provider' && address === null;
  const unlink = async () => {
    if (await run()) onClose();
  };
  return (
    <Dialog title={`Unlink ${name}?`} onClose={onClose} testId="unlink-dialog">
      <Stack gap="md">
        <Text style={{ overflowWrap: 'anywhere' }}>
          {identity.walletId ?? identity.email ?? identity.subject}
        </Text>
        <Text>
          It no longer signs in to this account, and what it signed in is ended. Credits, API keys and plan
          stay with the account.
        </Text>
        {isWallet && <Text>Nobody can call this account until it has a wallet again.</Text>}
        {endsHere && (
          <Text fw={600}>You will be signed out here: sign in again with what is still linked.</Text>
        )}
        {isWallet && kind === 'throwaway' && (
          <Text fw={600}>This throw-away wallet lives in this tab alone, and will be gone for good.</Text>
        )}
        {problem && <ProblemAlert problem={problem} />}
        <ConfirmButtons
          label="Unlink"
          isRunning={isRunning}
          onConfirm={() => void unlink()}
          onClose={onClose}
          testId="unlink-confirm"
        />
      </Stack>
    </Dialog>
  );
}
