import { Loader } from '@mantine/core';
import { useSignedIn } from '../session/ParleyClient.tsx';
import classes from './Shell.module.css';

/** Reports a lost connection. The SDK reconnects by itself. */
export function ConnectionBanner() {
  const { connection } = useSignedIn();
  return (
    <div role="status" data-testid="connection" data-state={connection}>
      {connection === 'reconnecting' && (
        <div className={classes['banner']}>
          <Loader size="xs" color="currentColor" />
          The connection was lost. Reconnecting…
        </div>
      )}
    </div>
  );
}
