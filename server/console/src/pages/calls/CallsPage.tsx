import { Stack } from '@mantine/core';
import { useRoute } from 'wouter';
import { FirstKeyOffer } from '../../keys/FirstKeyOffer.tsx';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { CallForm } from './CallForm.tsx';
import classes from './CallsPage.module.css';
import { History } from './History.tsx';
import { MyAddress } from './MyAddress.tsx';
import { NoWallet } from './NoWallet.tsx';
import { RunningCalls } from './RunningCalls.tsx';

/** The page to start calls, with the user's own call link and the call history. */
export function CallsPage() {
  const [isHome] = useRoute('/');
  const { address } = useSignedIn();
  if (address === null) {
    return (
      <div className={classes['page']}>
        {isHome && <FirstKeyOffer />}
        <Stack gap="lg" miw={0}>
          <NoWallet />
        </Stack>
      </div>
    );
  }
  return (
    <div className={classes['page']}>
      {/* Not shown to visitors of a call link, who came to make a call. */}
      {isHome && <FirstKeyOffer />}
      <Stack gap="lg" miw={0}>
        <RunningCalls />
        <CallForm />
        <MyAddress />
      </Stack>
      <Stack gap="lg" miw={0}>
        <History />
      </Stack>
    </div>
  );
}
