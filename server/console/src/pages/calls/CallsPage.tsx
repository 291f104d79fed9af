import { CallForm } from './CallForm.tsx';
import classes from './CallsPage.module.css';
import { History } from './History.tsx';
import { MyAddress } from './MyAddress.tsx';
import { RunningCalls } from './RunningCalls.tsx';

/** Call somebody, be called, and what was. */
export function CallsPage() {
  return (
    <div className={classes['page']}>
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
