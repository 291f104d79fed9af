import { clock, Identicon, useNow } from '@parley/react';
import { shortAddress } from '@parley/sdk';
import { Loader, VisuallyHidden } from '@mantine/core';
import { IconMicrophoneOff, IconPlayerRecordFilled, IconVideoOff } from '@tabler/icons-react';
import type { CurrentCall } from './callState.ts';
import classes from './InCall.module.css';

/** Shows the other party, the duration, and whether the other party is muted, has no video or is reconnecting. */
export function CallHeading({ call }: { call: CurrentCall }) {
  const { peer, status, type, peerSends, remoteSound, remoteCamera } = call;
  const isActive = status === 'active';
  const isAway = isActive && call.peerAway;
  const isMuted = isActive && remoteSound && peerSends?.audio === false;
  // A video call may have been answered without a camera.
  const isDark = isActive && (remoteCamera || type === 'video') && peerSends?.video === false;
  return (
    <header className={classes['heading']}>
      <Identicon address={peer} size={40} />
      <div>
        <div className={classes['peer']} title={peer}>
          {shortAddress(peer)}
        </div>
        <div className={classes['status']}>
          {isActive ? (
            <Timer since={call.activeSince} />
          ) : (
            <span role="status">{describeProgress(call)}</span>
          )}
        </div>
      </div>
      <div className={classes['badges']} role="status">
        {isAway && (
          <span className={`${classes['badge']} ${classes['urgent']}`} data-testid="peer-away">
            <Loader size="xs" color="currentColor" aria-hidden /> Reconnecting…
          </span>
        )}
        {isActive && call.recordedBy !== null && <Recorded by={call.recordedBy} peer={peer} />}
        {isMuted && (
          <span className={classes['badge']} data-testid="peer-muted">
            <IconMicrophoneOff size={16} aria-hidden /> Muted
          </span>
        )}
        {isDark && (
          <span className={classes['badge']} data-testid="peer-camera-off">
            <IconVideoOff size={16} aria-hidden /> Camera off
          </span>
        )}
      </div>
    </header>
  );
}

function Recorded({ by, peer }: { by: string; peer: string }) {
  const who = by === peer ? shortAddress(by) : 'You';
  const label = `${who} ${by === peer ? 'is' : 'are'} recording this call`;
  return (
    <span className={classes['badge']} data-testid="call-recording" data-by={by} title={label}>
      <IconPlayerRecordFilled size={16} className={classes['recording'] ?? ''} aria-hidden />
      <span aria-hidden>REC</span>
      <VisuallyHidden>{label}</VisuallyHidden>
    </span>
  );
}

function Timer({ since }: { since: number | null }) {
  const now = useNow(500);
  return <span data-testid="timer">{clock((now.getTime() - (since ?? now.getTime())) / 1000)}</span>;
}

function describeProgress({ status, direction, type, local }: CurrentCall): string {
  if (status === 'ringing') return 'Ringing…';
  if (local || direction === 'incoming') return 'Connecting…';
  return type === 'video' ? 'Allow access to the camera and microphone…' : 'Allow access to the microphone…';
}
