import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import type { AccountIdentity, Parley, Provider } from '@parley/sdk';
import { useCallback, useEffect, useState } from 'react';
import type { BrowserWallet } from '../session/browserWallets.ts';
import { useSessionController } from '../session/ParleyClient.tsx';
import { explain, type Problem } from '../ui/explain.ts';
import { ProblemAlert } from '../ui/ProblemAlert.tsx';
import { ProviderButton } from './ProviderButton.tsx';
import { UnlinkDialog } from './UnlinkDialog.tsx';

interface Props {
  client: Parley;
  /** null if the server has no identity provider. */
  provider: Provider | null;
  /** The browser wallets that can be linked. */
  wallets: BrowserWallet[];
}

/** Lists, links and unlinks the sign-in methods of the account. */
export function IdentitiesList({ client, provider, wallets }: Props) {
  const session = useSessionController();
  const [unlinking, setUnlinking] = useState<AccountIdentity | null>(null);
  const [linking, setLinking] = useState<string | null>(null);
  const [identities, setIdentities] = useState<AccountIdentity[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const report = useCallback((error: unknown) => setProblem(explain(error)), []);
  const refresh = useCallback(
    () => client.account.identities().then(({ data }) => setIdentities(data), report),
    [client, report],
  );
  useEffect(() => void refresh(), [refresh]);
  const link = (wallet: BrowserWallet) => {
    setProblem(null);
    setLinking(wallet.id);
    void session
      .linkWallet(wallet)
      .then(refresh, report)
      .finally(() => setLinking(null));
  };
  const nameOf = ({ type }: AccountIdentity) =>
    type === 'wallet' ? 'Wallet' : (provider?.name ?? 'Identity provider');
  const has = (type: AccountIdentity['type']) => identities.some((identity) => identity.type === type);
  return (
    <Stack gap="sm" data-testid="identities">
      {problem && <ProblemAlert problem={problem} onClose={() => setProblem(null)} />}
      {identities.map((identity) => (
        <IdentityRow
          key={identity.id}
          identity={identity}
          name={nameOf(identity)}
          // The last sign-in method cannot be unlinked. The server refuses it as well.
          isLast={identities.length === 1}
          onUnlink={() => setUnlinking(identity)}
        />
      ))}
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
            loading={linking === wallet.id}
            onClick={() => link(wallet)}
            data-testid="link-wallet"
          >
            Link {wallet.name}
          </Button>
        ))}
      {unlinking && (
        <UnlinkDialog
          identity={unlinking}
          name={nameOf(unlinking)}
          onClose={() => setUnlinking(null)}
          onUnlinked={refresh}
        />
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
    <Group justify="space-between" wrap="nowrap" data-testid="identity" data-id={id}>
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
