import { type BrowserWallet, ProblemAlert } from '@parley/react';
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import type { AccountIdentity, Provider } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../data/useAction.ts';
import { useList } from '../data/useList.ts';
import { useSessionController, useSignedIn } from '../session/ParleyClient.tsx';
import { explain, type Problem } from '../ui/explain.ts';
import { LoadedList } from '../ui/LoadedList.tsx';
import { ProviderButton } from './ProviderButton.tsx';
import { UnlinkDialog } from './UnlinkDialog.tsx';

interface Props {
  /** null if the server has no identity provider. */
  provider: Provider | null;
  /** The browser wallets that can be linked. */
  wallets: BrowserWallet[];
}

/** Lists, links and unlinks the sign-in methods of the account. */
export function IdentitiesList({ provider, wallets }: Props) {
  const session = useSessionController();
  const [unlinking, setUnlinking] = useState<AccountIdentity | null>(null);
  const [linking, setLinking] = useState<string | null>(null);
  const list = useList(useSignedIn().queries.identities);
  const identities = list.value ?? [];
  const [failure, setFailure] = useState<Problem | null>(null);
  const report = (error: unknown) => setFailure(explain(error));
  const link = useAction(async (wallet: BrowserWallet) => {
    setFailure(null);
    setLinking(wallet.id);
    await session.linkWallet(wallet).catch(report);
  });
  const nameOf = ({ type }: AccountIdentity) =>
    type === 'wallet' ? 'Wallet' : (provider?.name ?? 'Identity provider');
  const has = (type: AccountIdentity['type']) => identities.some((identity) => identity.type === type);
  return (
    <Stack gap="sm" data-testid="identities">
      {failure && <ProblemAlert problem={failure} onClose={() => setFailure(null)} />}
      <LoadedList list={list} what="your sign-in methods" rows={1} empty={null}>
        {(identity) => (
          <IdentityRow
            key={identity.id}
            identity={identity}
            name={nameOf(identity)}
            // The last sign-in method cannot be unlinked. The server refuses it as well.
            isLast={identities.length === 1}
            onUnlink={() => setUnlinking(identity)}
          />
        )}
      </LoadedList>
      {provider && identities.length > 0 && !has('oidc') && (
        <ProviderButton provider={provider} purpose="link" onProblem={report} />
      )}
      {identities.length > 0 &&
        !has('wallet') &&
        wallets.map((wallet) => (
          <Button
            key={wallet.id}
            variant="default"
            size="md"
            loading={link.isRunning && linking === wallet.id}
            onClick={() => void link.run(wallet)}
            data-testid="link-wallet"
          >
            Link {wallet.name}
          </Button>
        ))}
      {unlinking && (
        <UnlinkDialog identity={unlinking} name={nameOf(unlinking)} onClose={() => setUnlinking(null)} />
      )}
    </Stack>
  );
}

interface RowProps {
  identity: AccountIdentity;
  name: string;
  isLast: boolean;
  onUnlink: () => void;
}

function IdentityRow({ identity, name, isLast, onUnlink }: RowProps) {
  const { id, walletId, email, subject } = identity;
  return (
    <Group component="li" justify="space-between" wrap="nowrap" py={6} data-testid="identity" data-id={id}>
      <div style={{ minWidth: 0 }}>
        <Badge variant="light">{name}</Badge>
        <Text size="sm" truncate>
          {walletId ?? email ?? subject}
        </Text>
      </div>
      <Button
        variant="subtle"
        color="brick"
        size="compact-md"
        flex="none"
        disabled={isLast}
        title={
          isLast
            ? 'You cannot unlink the only sign-in method of this account.'
            : 'Ends the sessions that were signed in with it.'
        }
        onClick={onUnlink}
        data-testid="unlink"
      >
        Unlink
      </Button>
    </Group>
  );
}
