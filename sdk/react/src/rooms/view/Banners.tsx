import { IconMicrophoneOff, IconScreenShare, IconWifiOff } from '@tabler/icons-react';
import { lostDevice } from '../../devices/lostDevice.ts';
import { useIsSteady } from '../../ui/useIsSteady.ts';
import { useWords } from '../../words/WordsContext.tsx';
import { nameOf } from '../roomState.ts';
import { useRoomContext } from '../useRoom.ts';
import { Banner, BannerButton } from './Banner.tsx';
import { BreakoutBanners } from './BreakoutBanners.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import classes from './InRoom.module.css';

/** Notices at the top of the room: a lost connection, muting by a host, screen sharing, breakouts, people in the waiting room. */
export function Banners({ onBreakouts }: { onBreakouts: () => void }) {
  const { rooms, common, devices } = useWords();
  const { controller, sending, mediaError, wasMuted, waiters, isReconnecting, isHost } = useRoomContext();
  const lost = lostDevice(mediaError);
  return (
    <div className={classes['banners']} role="status">
      {isReconnecting && (
        <Banner kind="warning" testId="room-reconnecting">
          <IconWifiOff size={18} aria-hidden /> {common.reconnecting}
        </Banner>
      )}
      {mediaError && !isReconnecting && (
        <Banner kind="warning" testId="room-media-failed">
          {lost ? devices.stopped(devices[lost]) : rooms.mediaFailed}
          {!lost && (
            <BannerButton onClick={() => void controller.repairMedia()}>{rooms.restartMedia}</BannerButton>
          )}
        </Banner>
      )}
      {!mediaError && !isReconnecting && <ConnectionBanner />}
      {wasMuted && !sending.audio && (
        <Banner kind="calm" testId="was-muted">
          <IconMicrophoneOff size={18} aria-hidden /> {rooms.wasMuted}
          <BannerButton onClick={controller.dismissMuted}>{common.ok}</BannerButton>
        </Banner>
      )}
      {sending.screen && (
        <Banner kind="calm" testId="sharing">
          <IconScreenShare size={18} aria-hidden /> {rooms.youShare}
          <BannerButton variant="filled" isDanger onClick={() => void controller.toggleScreen()}>
            {rooms.stopSharing}
          </BannerButton>
        </Banner>
      )}
      <BreakoutBanners onManage={onBreakouts} />
      {isHost && waiters[0] && <WaitingBanner />}
    </div>
  );
}

function WaitingBanner() {
  const { rooms } = useWords();
  const { host, waiters } = useRoomContext();
  const [first, ...others] = waiters;
  const isSteady = useIsSteady(first ? [first.walletAddress] : []);
  if (!first) return null;
  return (
    <Banner kind="calm" testId="waiting-banner">
      <span>
        <strong>{nameOf(first)}</strong> {rooms.isWaiting}
        {others.length > 0 && rooms.moreWaiting(others.length)}.
      </span>
      <BannerButton
        disabled={!isSteady}
        onClick={() => void host.deny(first.walletAddress)}
        data-testid="banner-deny"
      >
        {rooms.decline}
      </BannerButton>
      <BannerButton
        variant="filled"
        disabled={!isSteady}
        onClick={() => void host.admit(first.walletAddress)}
        data-testid="banner-admit"
      >
        {rooms.letIn}
      </BannerButton>
      {others.length > 0 && (
        <BannerButton
          disabled={!isSteady}
          onClick={() => void host.admitAll()}
          data-testid="banner-admit-all"
        >
          {rooms.letAllIn}
        </BannerButton>
      )}
    </Banner>
  );
}
