import { ProblemAlert } from '@parley/react';
import { Text } from '@mantine/core';
import type { Provider } from '@parley/sdk';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useSessionController } from '../../session/ParleyClient.tsx';
import { explainProvider, type Problem } from '../../ui/explain.ts';

// Loaded on demand: most servers have no identity provider.
const ProviderButton = lazy(async () => ({
  default: (await import('../../provider/ProviderButton.tsx')).ProviderButton,
}));

/** Sign-in with an outside identity provider, if the server has one. */
export function ProviderSignIn() {
  const session = useSessionController();
  const [provider, setProvider] = useState<Provider | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    // If the server cannot be reached, the other sign-in methods report it when they are used.
    session.provider().then(setProvider, () => setProvider(null));
  }, [session]);
  if (!provider) return null;
  return (
    <Suspense>
      {problem && <ProblemAlert problem={problem} onClose={() => setProblem(null)} />}
      <ProviderButton
        provider={provider}
        purpose="signIn"
        onProblem={(error) => setProblem(explainProvider(error))}
      />
      <Text size="sm" c="dimmed" ta="center">
        Gives access to your account, its API keys and credits. To make calls, link a wallet later.
      </Text>
    </Suspense>
  );
}
