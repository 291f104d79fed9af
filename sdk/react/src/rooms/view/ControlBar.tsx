import {
  IconHandStop,
  IconMessageCircle,
  IconMicrophone,
  IconMicrophoneOff,
  IconScreenShare,
  IconScreenShareOff,
  IconUsers,
  IconVideo,
  IconVideoOff,
} from '@tabler/icons-react';
import { useSupport } from '../../core/useSupport.ts';
import { useWords } from '../../words/WordsContext.tsx';
import { useRoomContext } from '../useRoom.ts';
import { BarButton } from './BarButton.tsx';
import classes from './InRoom.module.css';
import { LeaveButton } from './LeaveButton.tsx';
import { MoreMenu } from './MoreMenu.tsx';
import type { ControlBarProps } from './controlBarProps.ts';

const canShareScreen = () => 'getDisplayMedia' in (navigator.mediaDevices ?? {});

/** The controls of a room. */
export function ControlBar(props: ControlBarProps) {
  const { panel = null, onPanel, isNarrow = false } = props;
  const words = useWords().rooms;
  const { controller, own, sending, room, participants, unread, waiters, isHost, isGranted } =
    useRoomContext();
  const isViewer = own?.role === 'viewer';
  const isShareAllowed = !isViewer && (isHost || room?.settings.allowScreenShare !== false);
  const canShare = useSupport(canShareScreen) && isGranted('screen');
  const hands = participants.filter(({ id, handRaised }) => handRaised && id !== own?.id).length;
  return (
    <div className={classes['bar']} role="toolbar" aria-label={words.controls}>
      {isGranted('microphone') && (
        <BarButton
          name={words.microphone}
          caption={words.mic}
          hint={`${sending.audio ? words.mute : words.unmute} (M)`}
          isOff={!sending.audio}
          disabled={isViewer || room?.audio === false}
          onClick={() => void controller.toggleAudio()}
          data-testid="room-mic"
        >
          {sending.audio ? <IconMicrophone aria-hidden /> : <IconMicrophoneOff aria-hidden />}
        </BarButton>
      )}
      {isGranted('camera') && (
        <BarButton
          name={words.camera}
          hint={`${sending.video ? words.cameraOff : words.cameraOn} (V)`}
          isOff={!sending.video}
          disabled={isViewer || room?.video === false}
          onClick={() => void controller.toggleVideo()}
          data-testid="room-camera"
        >
          {sending.video ? <IconVideo aria-hidden /> : <IconVideoOff aria-hidden />}
        </BarButton>
      )}
      {!isNarrow && canShare && (
        <BarButton
          name={words.shareScreen}
          caption={words.share}
          hint={`${sending.screen ? words.stopSharing : words.shareScreen} (S)`}
          isOn={sending.screen}
          disabled={!isShareAllowed}
          onClick={() => void controller.toggleScreen()}
          data-testid="room-share"
        >
          {sending.screen ? <IconScreenShareOff aria-hidden /> : <IconScreenShare aria-hidden />}
        </BarButton>
      )}
      {!isNarrow && (
        <BarButton
          name={words.raiseHand}
          caption={words.hand}
          hint={`${sending.handRaised ? words.lowerHand : words.raiseHand} (H)`}
          isOn={sending.handRaised}
          onClick={() => void controller.toggleHand()}
          data-testid="room-hand"
        >
          <IconHandStop aria-hidden />
        </BarButton>
      )}
      {onPanel && (
        <>
          <BarButton
            name={unread > 0 ? words.chatUnread(unread) : words.chat}
            caption={words.chat}
            hint={`${words.chat} (C)`}
            isOn={panel === 'chat'}
            count={unread}
            onClick={() => onPanel('chat')}
            data-testid="room-chat"
          >
            <IconMessageCircle aria-hidden />
          </BarButton>
          <BarButton
            name={waiters.length > 0 ? words.peopleWaiting(waiters.length) : words.peoplePanel}
            caption={words.peoplePanel}
            hint={`${words.peoplePanel} (P)`}
            isOn={panel === 'people'}
            count={waiters.length || hands}
            onClick={() => onPanel('people')}
            data-testid="room-people"
          >
            <IconUsers aria-hidden />
          </BarButton>
        </>
      )}
      <MoreMenu {...props} canShare={canShare && isShareAllowed} />
      <LeaveButton />
    </div>
  );
}
