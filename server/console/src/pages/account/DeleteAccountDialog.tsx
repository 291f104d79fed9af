import { Button, Group, List, Stack, Text } from '@mantine/core';
import { type BrowserWallet, ProblemAlert } from '@parley/react';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useLoaded } from '../../data/useLoaded.ts';
import { ProviderButton } from '../../provider/ProviderButton.tsx';
import { useBrowserWallets, useSessionController, useSignedIn } from '../../session/ParleyClient.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { explain, type Problem } from '../../ui/explain.ts';

/** Says what a deletion means, and has the wallet sign for it. */
export function DeleteAccountDialog({ onClose }: { onClose: () => void }) {
  const { kind, address, queries } = useSignedIn();
  const [failure, setFailure] = useState<Problem | null>(null);
  const session = useSessionController();
  const wallets = useBrowserWallets();
  const request = useAction(
    async (wallet: BrowserWallet | null) => {
      await session.deleteAccount(wallet);
      return true;
    },
    { refreshes: ['account'] },
  );
  const confirm = async (wallet: BrowserWallet | null) => {
    if (await request.run(wallet)) onClose();
  };
  const provider = useLoaded(queries.provider).value;
  const signers = kind === 'throwaway' ? [null] : address ? wallets : [];
  return (
    <Dialog title="Delete account" onClose={onClose} testId="delete-account-dialog">
      <Stack gap="md">
        <Text size="sm">
          {address
            ? 'Your wallet signs a message that asks for this. It costs nothing. '
            : 'You sign in once more to ask for this. '}
          You have some days to change your mind: until then, everything works as before.
        </Text>
        <List size="sm" spacing={4} listStyleType="disc">
          <List.Item>
            Your messages become deleted messages for everybody. Your files, voicemails and recordings are
            deleted.
          </List.Item>
          <List.Item>Your phone numbers are released, your plan ends, and your credits are lost.</List.Item>
          <List.Item>Your API keys and webhooks stop working.</List.Item>
          <List.Item>Others keep what they wrote to you. They see a deleted account.</List.Item>
        </List>
        {!address && provider && (
          <ProviderButton
            provider={provider}
            purpose="delete"
            onProblem={(error) => setFailure(explain(error))}
          />
        )}
        {failure && <ProblemAlert problem={failure} />}
        {signers.length === 0 && (address || !provider) && (
          <Text size="sm" data-testid="no-signer">
            {address
              ? 'This browser has no wallet that can sign. Open this page in the browser with your wallet.'
              : 'This account has no wallet. Link one under sign-in methods, or ask the operator of this server.'}
          </Text>
        )}
        {request.problem && <ProblemAlert problem={request.problem} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            Keep account
          </Button>
          {signers.map((wallet) => (
            <Button
              key={wallet?.name ?? ''}
              color="brick"
              loading={request.isRunning}
              onClick={() => void confirm(wallet)}
              data-testid="delete-account-confirm"
            >
              {wallet ? `Sign with ${wallet.name}` : 'Delete account'}
            </Button>
          ))}
        </Group>
      </Stack>
    </Dialog>
  );
}
