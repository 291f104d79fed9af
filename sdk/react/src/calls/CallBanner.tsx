import { useConnection } from '../core/useConnection.ts';
import { Button } from '../ui/Button.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { useWords } from '../words/WordsContext.tsx';
import classes from './CallScreen.module.css';
import type { CurrentCall } from './callState.ts';
import { useCall } from './useCall.ts';

/** Reports a problem with the current call and what is being done about it. */
export function CallBanner({ call }: { call: CurrentCall }) {
  const { calls, common, devices } = useWords();
  const { repair } = useCall();
  const state = useConnection() === 'connected' ? 'connected' : 'reconnecting';
  return (
    <div role="status" data-testid="call-connection" data-state={state}>
      {state === 'reconnecting' && (
        <div className={classes['banner']}>
          <Spinner size={16} />
          {common.reconnecting}
        </div>
      )}
      {state === 'connected' && call.mediaFailed && (
        <div className={classes['banner']}>
          {calls.mediaStopped}
          <Button size="sm" variant="outline" onClick={() => void repair()}>
            {calls.restartMedia}
          </Button>
        </div>
      )}
      {state === 'connected' && call.lostDevice && (
        <div className={classes['banner']}>{devices.stopped(devices[call.lostDevice])}</div>
      )}
    </div>
  );
}
