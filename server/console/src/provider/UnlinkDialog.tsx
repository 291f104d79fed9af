import { Text } from '@mantine/core';
import type { AccountIdentity } from '@parley/sdk';
import { useAction } from '../data/useAction.ts';
import { useSessionController, useSignedIn } from '../session/ParleyClient.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';

interface Props {
  identity: AccountIdentity;
  name: string;
  onClose: () => void;
}

/** Asks whether to unlink a sign-in method, and explains the consequences. */
export function UnlinkDialog({ identity, name, onClose }: Props) {
  const session = useSessionController();
  const { kind, address } = useSignedIn();
  const unlink = useAction(() => session.unlink(identity.id), { refreshes: ['account'] });
  const isWallet = identity.type === 'wallet';
  // A session of an account with a wallet counts as a session of that wallet, no matter how the user signed in.
  const endsHere = isWallet ? address !== null : kind === 'provider' && address === null;
  return (
    <ConfirmDialog title={`Unlink ${name}?`} action={unlink} label="Unlink" onClose={onClose} testId="unlink">
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
    </ConfirmDialog>
  );
}
