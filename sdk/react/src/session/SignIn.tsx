import { IconUser, IconWallet } from '@tabler/icons-react';
import { useStore } from '../core/Store.ts';
import { ProblemAlert } from '../problems/ProblemAlert.tsx';
import { Stack, Text } from '../ui/Basics.tsx';
import { Button } from '../ui/Button.tsx';
import { useWords } from '../words/WordsContext.tsx';
import { browserWallets } from './browserWallets.ts';
import { useSession } from './useSession.ts';

interface Props {
  /** Whether people without a wallet can continue with a temporary one. @default true */
  allowsGuests?: boolean;
}

/**
 * Signs in with a wallet of the browser, or as guest with a temporary wallet. If the client has a token of the app, it only says why that
 * does not work, and tries again.
 */
export function SignIn({ allowsGuests = true }: Props) {
  const { session: words, common } = useWords();
  const { phase, problem, canSignIn, signIn, signInAsGuest, retry } = useSession();
  const wallets = useStore(browserWallets());
  const isBusy = phase === 'signingIn';
  if (!canSignIn) {
    if (problem) return <ProblemAlert problem={problem} onRetry={() => void retry()} />;
    return isBusy && <Text role="status">{common.loading}</Text>;
  }
  return (
    <Stack gap="0.75rem" data-testid="sign-in">
      {problem && <ProblemAlert problem={problem} />}
      {wallets.map(({ id, name, icon, provider }) => (
        <Button
          key={id}
          variant="outline"
          size="lg"
          isWide
          disabled={isBusy}
          icon={
            icon ? <img src={icon} alt="" width={20} height={20} /> : <IconWallet size={20} aria-hidden />
          }
          onClick={() => void signIn(provider)}
        >
          {words.withWallet(name)}
        </Button>
      ))}
      {allowsGuests && (
        <>
          <Button
            size="lg"
            isWide
            disabled={isBusy}
            icon={<IconUser size={20} aria-hidden />}
            onClick={() => void signInAsGuest()}
            data-testid="sign-in-as-guest"
          >
            {words.asGuest}
          </Button>
          <Text size="sm" isDimmed>
            {words.asGuestHint}
          </Text>
        </>
      )}
      <Text size="sm" isDimmed role="status">
        {isBusy && wallets.length > 0 ? words.confirmInWallet : ''}
      </Text>
    </Stack>
  );
}
