import { Button, Loader } from '@mantine/core';
import { useCalls, useSignedIn } from '../session/ParleyClient.tsx';
import type { CurrentCall } from './callState.ts';
import classes from './InCall.module.css';

/** Reports a problem with the current call and what is being done about it. */
export function CallBanner({ call }: { call: CurrentCall }) {
  const { connection } = useSignedIn();
  const { controller } = useCalls();
  return (
    <div role="status" data-testid="call-connection" data-state={connection}>
      {connection === 'reconnecting' && (
        <div className={classes['banner']}>
          <Loader size="xs" color="currentColor" />
          The connection was lost. Reconnecting…
        </div>
      )}
      {connection === 'connected' && call.mediaFailed && (
        <div className={classes['banner']}>
          Audio and video stopped.
          <Button
            size="compact-sm"
            variant="white"
            color="dark"
            onClick={() => void controller.repairMedia()}
          >
            Restart audio and video
          </Button>
        </div>
      )}
    </div>
  );
}
