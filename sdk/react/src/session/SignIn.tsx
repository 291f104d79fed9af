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

/** Signs in with a wallet of the browser, or as guest with a temporary wallet. */
export function SignIn({ allowsGuests = true }: Props) {
  const words = useWords().session;
  const { phase, problem, signIn, signInAsGuest } = useSession();
  const wallets = useStore(browserWallets());
  const isBusy = phase === 'signingIn';
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
