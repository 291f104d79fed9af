import { Loader } from '@mantine/core';
import { useSignedIn } from '../session/ParleyClient.tsx';
import classes from './Shell.module.css';

/** Says that the server is away, and that nobody has to do anything about it. */
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
