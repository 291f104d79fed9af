import { IconMicrophoneOff, IconPlayerRecordFilled, IconVideoOff, IconWifiOff } from '@tabler/icons-react';
import { clock } from '../core/format.ts';
import { useNow } from '../core/useNow.ts';
import { Avatar } from '../people/Avatar.tsx';
import { Name } from '../people/Name.tsx';
import { usePartyName } from '../people/usePeople.ts';
import { VisuallyHidden } from '../ui/Basics.tsx';
import { classNames } from '../ui/classNames.ts';
import { Spinner } from '../ui/Spinner.tsx';
import type { Words } from '../words/english.ts';
import { useWords } from '../words/WordsContext.tsx';
import classes from './CallScreen.module.css';
import type { CurrentCall } from './callState.ts';

const weakSides: Partial<Record<string, 'own' | 'peer'>> = { 'own-network': 'own', 'other-network': 'peer' };

/** Shows the other party, the duration, and what is wrong: whose network is weak, who is muted, has no video or is reconnecting. */
export function CallHeading({ call }: { call: CurrentCall }) {
  const { peer, status, type, peerSends, remoteSound, remoteCamera } = call;
  const words = useWords().calls;
  const name = usePartyName(peer);
  const isActive = status === 'active';
  const isAway = isActive && call.peerAway;
  const weak = isActive ? weakSides[call.trouble ?? ''] : undefined;
  const isMuted = isActive && remoteSound && peerSends?.audio === false;
  // A video call may have been answered without a camera.
  const isDark = isActive && (remoteCamera || type === 'video') && peerSends?.video === false;
  return (
    <header className={classes['heading']}>
      <Avatar address={peer} size={40} />
      <div className={classes['facts']}>
        <Name address={peer} className={classes['peer']} dir="auto" />
        <div className={classes['status']}>
          {isActive ? (
            <Timer since={call.activeSince} />
          ) : (
            <span role="status">{describeProgress(call, words)}</span>
          )}
        </div>
      </div>
      <div className={classes['badges']} role="status">
        {isAway && (
          <span className={classNames(classes['badge'], classes['urgent'])} data-testid="peer-away">
            <Spinner size={14} /> {words.peerReconnecting}
          </span>
        )}
        {weak && (
          <span className={classes['badge']} data-testid="weak-network" data-side={weak}>
            <IconWifiOff size={16} aria-hidden />
            {weak === 'own' ? words.ownNetwork : words.peerNetwork(name)}
          </span>
        )}
        {isActive && call.recordedBy !== null && <Recorded by={call.recordedBy} peer={peer} />}
        {isMuted && (
          <span className={classes['badge']} data-testid="peer-muted">
            <IconMicrophoneOff size={16} aria-hidden /> {words.peerMuted}
          </span>
        )}
        {isDark && (
          <span className={classes['badge']} data-testid="peer-camera-off">
            <IconVideoOff size={16} aria-hidden /> {words.peerCameraOff}
          </span>
        )}
      </div>
    </header>
  );
}

function Recorded({ by, peer }: { by: string; peer: string }) {
  const words = useWords().calls;
  const name = usePartyName(by);
  const label = by === peer ? words.recordedBy(name) : words.recordedByYou;
  return (
    <span className={classes['badge']} data-testid="call-recording" data-by={by} title={label}>
      <IconPlayerRecordFilled size={16} className={classes['recording'] ?? ''} aria-hidden />
      <span aria-hidden>{words.recording}</span>
      <VisuallyHidden>{label}</VisuallyHidden>
    </span>
  );
}

function Timer({ since }: { since: number | null }) {
  const now = useNow(500);
  return <span data-testid="timer">{clock((now.getTime() - (since ?? now.getTime())) / 1000)}</span>;
}

function describeProgress({ status, direction, type, local }: CurrentCall, words: Words['calls']): string {
  if (status === 'ringing') return words.ringing;
  if (local || direction === 'incoming') return words.connecting;
  return type === 'video' ? words.allowBoth : words.allowMicrophone;
}
