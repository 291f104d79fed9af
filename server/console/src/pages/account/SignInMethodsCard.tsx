import { Text } from '@mantine/core';
import type { Provider } from '@parley/sdk';
import { useEffect, useState } from 'react';
import { IdentitiesList } from '../../provider/IdentitiesList.tsx';
import { useBrowserWallets, useSessionController, useSignedIn } from '../../session/ParleyClient.tsx';
import { Section } from '../../ui/Section.tsx';

/** The account's sign-in methods: a wallet and an identity at the provider. */
export function SignInMethodsCard() {
  const { address } = useSignedIn();
  const session = useSessionController();
  const wallets = useBrowserWallets();
  const [provider, setProvider] = useState<Provider | null>(null);
  useEffect(() => {
    session.provider().then(setProvider, () => setProvider(null));
  }, [session]);
  return (
    <Section
      title="Sign-in methods"
      hint="Each method signs you in to this account. The last one cannot be unlinked."
      testId="sign-in-methods"
    >
      <IdentitiesList provider={provider} wallets={wallets} />
      {address === null && wallets.length === 0 && (
        <Text size="sm" c="dimmed" mt="sm" data-testid="no-browser-wallet">
          To link a wallet, install a wallet extension in this browser (such as MetaMask or Rabby) and reload
          the page.
        </Text>
      )}
    </Section>
  );
}
