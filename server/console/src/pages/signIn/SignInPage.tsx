import { Identicon, parseCallee, ProblemAlert } from '@parley/react';
import { shortAddress } from '@parley/sdk';
import { Button, Flex, Group, Text, Title } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { Link, useRoute } from 'wouter';
import { useResume, useSessionController } from '../../session/ParleyClient.tsx';
import type { SessionState, SignedIn } from '../../session/SessionController.ts';
import { ColourSchemeToggle } from '../../shell/ColourSchemeToggle.tsx';
import { pagePaths } from '../../shell/paths.ts';
import { Logo } from '../../ui/Logo.tsx';
import { ProviderSignIn } from './ProviderSignIn.tsx';
import classes from './SignInPage.module.css';
import { WalletSignIn } from './WalletSignIn.tsx';

/** The sign-in page. A newcomer can use a temporary wallet with one click. */
export function SignInPage({ session }: { session: Exclude<SessionState, SignedIn> }) {
  const controller = useSessionController();
  const busyWith = session.phase === 'signingIn' ? session.kind : null;
  const problem = session.phase === 'signedOut' ? session.problem : null;
  const resume = useResume();
  return (
    <div className={classes['page']}>
      <Group justify="flex-end">
        <ColourSchemeToggle />
      </Group>
      <Flex component="main" direction="column" gap="1.5rem" w="100%" maw="26rem" m="auto">
        <Introduction />
        {problem && <ProblemAlert problem={problem} onRetry={resume} />}
        <div className={`parley-card ${classes['card']}`}>
          <Button
            size="md"
            h={52}
            px="xs"
            fz={15}
            fullWidth
            leftSection={<IconSparkles size={20} />}
            loading={busyWith === 'throwaway'}
            disabled={busyWith !== null && busyWith !== 'throwaway'}
            onClick={() => void controller.tryOut()}
            data-testid="try-wallet"
          >
            Continue as guest
          </Button>
          <Text size="sm" c="dimmed" ta="center">
            We create a temporary wallet for this tab. When you close the tab, it is gone.
          </Text>
          <div className={classes['or']}>or</div>
          <WalletSignIn busyWith={busyWith} />
          <ProviderSignIn />
        </div>
        <Link href={pagePaths.check[0]} className={classes['check']}>
          Test your connection
        </Link>
      </Flex>
    </div>
  );
}

function Introduction() {
  const [, parameters] = useRoute('/call/:callee');
  const callee = parseCallee(parameters?.callee ?? '', { origin: location.origin, address: null }).address;
  const [isRoom] = useRoute('/rooms/:room');
  if (isRoom) {
    return (
      <header className={classes['introduction']} data-testid="invited">
        <Logo size={64} />
        <Title order={1}>You are invited to a room</Title>
        <Text c="dimmed">Sign in first. Then you can check your camera and join.</Text>
      </header>
    );
  }
  if (callee) {
    return (
      <header className={classes['introduction']}>
        <Identicon address={callee} size={72} />
        <Title order={1}>Call {shortAddress(callee)}</Title>
        <Text c="dimmed">Sign in first. Then you can call.</Text>
      </header>
    );
  }
  return (
    <header className={classes['introduction']}>
      <Logo size={64} />
      <Title order={1}>Parley</Title>
      <Text c="dimmed">Audio and video calls between wallets. Your wallet address is your number.</Text>
    </header>
  );
}
