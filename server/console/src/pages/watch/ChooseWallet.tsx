import { ProblemAlert } from '@parley/react';
import { Button, Text } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import {
  useBrowserWallets,
  useResume,
  useSession,
  useSessionController,
} from '../../session/ParleyClient.tsx';
import { WalletSignIn } from '../signIn/WalletSignIn.tsx';

interface Props {
  /** Whether the viewer needs a wallet with assets. If the browser has no wallet, the viewer is told how to get one. */
  isOwnNeeded?: boolean;
}

/** Signs in with a temporary wallet or a browser wallet, without leaving the stream. */
export function ChooseWallet({ isOwnNeeded = false }: Props) {
  const hasOwn = useBrowserWallets().length > 0;
  const session = useSession();
  const controller = useSessionController();
  const resume = useResume();
  if (session.phase === 'signedIn') {
    return (
      <Text size="sm" c="dimmed">
        Your account has no wallet yet. Link one on your profile page.
      </Text>
    );
  }
  const busyWith = session.phase === 'signingIn' ? session.kind : null;
  const problem = session.phase === 'signedOut' ? session.problem : null;
  return (
    <>
      {problem && <ProblemAlert problem={problem} onRetry={resume} />}
      <Button
        fullWidth
        leftSection={<IconSparkles size={18} />}
        loading={busyWith === 'throwaway'}
        disabled={busyWith !== null && busyWith !== 'throwaway'}
        onClick={() => void controller.tryOut()}
        data-testid="try-wallet"
      >
        Use a temporary wallet
      </Button>
      {(hasOwn || isOwnNeeded) && <WalletSignIn busyWith={busyWith} />}
    </>
  );
}
