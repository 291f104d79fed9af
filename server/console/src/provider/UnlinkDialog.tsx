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
}

/** Asks whether to unlink a sign-in method, and explains the consequences. */
export function UnlinkDialog({ identity, name, onClose }: Props) {
  const session = useSessionController();
  const { kind, address } = useSignedIn();
  const unlink = async () => {
    await session.unlink(identity.id);
    return true;
  };
  const { run, isRunning, problem } = useAction(unlink, { refreshes: ['account'] });
  const isWallet = identity.type === 'wallet';
  // A session of an account with a wallet counts as a session of that wallet, no matter how the user signed in.
  const endsHere = isWallet ? address !== null : kind === 'provider' && address === null;
  const confirm = async () => {
    if (await run()) onClose();
  };
  return (
    <Dialog title={`Unlink ${name}?`} onClose={onClose} testId="unlink-dialog">
      <Stack gap="md">
        <Text style={{ overflowWrap: 'anywhere' }}>
          {identity.walletId ?? identity.email ?? identity.subject}
        </Text>
        <Text>
          You can no longer sign in with it, and its sessions end. The account keeps its credits, API keys and
          plan.
        </Text>
        {isWallet && <Text>Nobody can call this account until you link a wallet again.</Text>}
        {endsHere && (
          <Text fw={600}>You will be signed out. Sign in again with a method that is still linked.</Text>
        )}
        {isWallet && kind === 'throwaway' && (
          <Text fw={600}>This temporary wallet exists only in this tab and will be lost.</Text>
        )}
        {problem && <ProblemAlert problem={problem} />}
        <ConfirmButtons
          label="Unlink"
          isRunning={isRunning}
          onConfirm={() => void confirm()}
          onClose={onClose}
          testId="unlink-confirm"
        />
      </Stack>
    </Dialog>
  );
}
