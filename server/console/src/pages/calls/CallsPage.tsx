import { useRoute } from 'wouter';
import { FirstKeyOffer } from '../../keys/FirstKeyOffer.tsx';
import { CallForm } from './CallForm.tsx';
import classes from './CallsPage.module.css';
import { History } from './History.tsx';
import { MyAddress } from './MyAddress.tsx';
import { RunningCalls } from './RunningCalls.tsx';

/** Call somebody, be called, and what was. */
export function CallsPage() {
  const [isHome] = useRoute('/');
  return (
    <div className={classes['page']}>
      {/* Whoever followed a call link came to call. */}
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
