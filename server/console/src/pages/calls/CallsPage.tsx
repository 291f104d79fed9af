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
        <div className={classes['column']}>
          <NoWallet />
        </div>
      </div>
    );
  }
  return (
    <div className={classes['page']}>
      {/* Not shown to visitors of a call link, who came to make a call. */}
      {isHome && <FirstKeyOffer />}
      <div className={classes['column']}>
        <RunningCalls />
        <CallForm />
        <MyAddress />
      </div>
      <div className={classes['column']}>
        <History />
      </div>
    </div>
  );
}
