import { Text } from '@mantine/core';
import type { Provider } from '@parley/sdk';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useSessionController } from '../../session/ParleyClient.tsx';
import { explainProvider, type Problem } from '../../ui/explain.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';

// Most servers have no provider: nobody there needs OAuth.
const ProviderButton = lazy(async () => ({
  default: (await import('../../provider/ProviderButton.tsx')).ProviderButton,
}));

/** The way in by an outside identity provider, where the server has one. */
export function ProviderSignIn() {
  const session = useSessionController();
  const [provider, setProvider] = useState<Provider | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    // A server that is away is told of by the ways in above, once they are tried.
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
