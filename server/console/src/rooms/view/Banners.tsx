import { Button } from '@mantine/core';
import { IconMicrophoneOff, IconScreenShare, IconWifiOff } from '@tabler/icons-react';
import { nameOf } from '../roomState.ts';
import { useRoom } from '../useRoom.ts';
import { Banner } from './Banner.tsx';
import { BreakoutBanners } from './BreakoutBanners.tsx';
import classes from './InRoom.module.css';

/** Notices at the top of the room: a lost connection, muting by a host, screen sharing, breakouts, people in the waiting room. */
export function Banners({ onBreakouts }: { onBreakouts: () => void }) {
  const { controller, state, isHost } = useRoom();
  const { own, mediaFailed, wasMuted, waiters, isReconnecting } = state;
  return (
    <div className={classes['banners']} role="status">
      {isReconnecting && (
        <Banner kind="warning" testId="room-reconnecting">
          <IconWifiOff size={18} aria-hidden /> The connection was lost. Reconnecting…
        </Banner>
      )}
      {mediaFailed && !isReconnecting && (
        <Banner kind="warning" testId="room-media-failed">
          Audio and video stopped.
          <Button size="compact-sm" color="amber" onClick={() => void controller.repairMedia()}>
            Restart audio and video
          </Button>
        </Banner>
      )}
      {wasMuted && !own.audio && (
        <Banner kind="calm" testId="was-muted">
          <IconMicrophoneOff size={18} aria-hidden /> A host muted you.
          <Button size="compact-sm" variant="default" onClick={controller.dismissMuted}>
            OK
          </Button>
        </Banner>
      )}
      {own.screen && (
        <Banner kind="calm" testId="sharing">
          <IconScreenShare size={18} aria-hidden /> You are sharing your screen.
          <Button size="compact-sm" color="brick" onClick={() => void controller.toggleScreen()}>
            Stop sharing
          </Button>
        </Banner>
      )}
      <BreakoutBanners onManage={onBreakouts} />
      {isHost && waiters[0] && <WaitingBanner />}
    </div>
  );
}

function WaitingBanner() {
  const { controller, state } = useRoom();
  const [first, ...others] = state.waiters;
  if (!first) return null;
  return (
    <Banner kind="calm" testId="waiting-banner">
      <span>
        <strong>{nameOf(first)}</strong> is waiting to join
        {others.length > 0 && `, and ${others.length} more`}.
      </span>
      <Button
        size="compact-sm"
        onClick={() => void controller.admit(first.walletAddress)}
        data-testid="banner-admit"
      >
        Let in
      </Button>
    </Banner>
  );
}
