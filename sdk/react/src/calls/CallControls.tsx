import type { ConferenceRoom } from '@parley/sdk';
import {
  IconDotsVertical,
  IconKeyboard,
  IconMaximize,
  IconMessageCircle,
  IconMicrophone,
  IconMicrophoneOff,
  IconMinimize,
  IconPhone,
  IconPictureInPicture,
  IconPlayerRecord,
  IconPlayerStop,
  IconScreenShare,
  IconScreenShareOff,
  IconUserPlus,
  IconVideo,
  IconVideoOff,
} from '@tabler/icons-react';
import { useAction } from '../core/useAction.ts';
import { useSupport } from '../core/useSupport.ts';
import { DeviceMenu } from '../devices/DeviceMenu.tsx';
import { FlipCamera } from '../devices/FlipCamera.tsx';
import { usePartyName } from '../people/usePeople.ts';
import { Menu, MenuItem } from '../ui/Menu.tsx';
import { StageButton } from '../ui/StageButton.tsx';
import type { useFullscreen } from '../ui/useFullscreen.ts';
import { useMediaQuery } from '../ui/useMediaQuery.ts';
import { useWords } from '../words/WordsContext.tsx';
import classes from './CallScreen.module.css';
import type { CurrentCall } from './callState.ts';
import { useCall } from './useCall.ts';

export interface CallPanels {
  isChatOpen: boolean;
  toggleChat: () => void;
  showShortcuts: () => void;
  /** Opens the dialog that adds people; undefined in apps without rooms. */
  addPeople: (() => void) | undefined;
  /** Shows the other party's video in a window of its own; undefined if the browser cannot, or there is no video. */
  toggleWindow: (() => void) | undefined;
  fullscreen: ReturnType<typeof useFullscreen>;
}

export type OnMoved = (room: ConferenceRoom) => void;

const canShare = () => 'getDisplayMedia' in (navigator.mediaDevices ?? {});

/** The buttons at the bottom of a call. */
export function CallControls({ call, panels }: { call: CurrentCall; panels: CallPanels }) {
  const { toggleMicrophone, toggleCamera, toggleScreen, hangUp } = useCall();
  const words = useWords().calls;
  const { muted, cameraOn, isSharing } = call;
  const isNarrow = useMediaQuery('(max-width: 36em)');
  const hasScreens = useSupport(canShare);
  // Nothing can be muted until the server has confirmed the call.
  const isReady = call.status !== 'opening';
  const isActive = call.status === 'active';
  return (
    <div className={classes['controls']} role="toolbar" aria-label={words.controls}>
      <StageButton
        label={words.mute}
        hint={`${muted ? words.unmute : words.mute} (M)`}
        isPressed={muted}
        look={muted ? 'active' : 'plain'}
        disabled={!isReady}
        onClick={() => void toggleMicrophone()}
        data-testid="toggle-mute"
      >
        {muted ? <IconMicrophoneOff /> : <IconMicrophone />}
      </StageButton>
      <StageButton
        label={words.cameraOff}
        hint={`${cameraOn ? words.cameraOff : words.cameraOn} (V)`}
        isPressed={!cameraOn}
        look={cameraOn ? 'plain' : 'active'}
        disabled={!isReady}
        onClick={() => void toggleCamera()}
        data-testid="toggle-camera"
      >
        {cameraOn ? <IconVideo /> : <IconVideoOff />}
      </StageButton>
      {hasScreens && (
        <StageButton
          label={words.shareScreen}
          hint={`${isSharing ? words.stopSharing : words.shareScreen} (S)`}
          isPressed={isSharing}
          look={isSharing ? 'active' : 'plain'}
          disabled={!isActive}
          onClick={() => void toggleScreen()}
          data-testid="toggle-screen"
        >
          {isSharing ? <IconScreenShareOff /> : <IconScreenShare />}
        </StageButton>
      )}
      {!isNarrow && <RecordControl call={call} />}
      <FlipCamera isShown={cameraOn && isReady} />
      <DeviceMenu local={call.local} isDisabled={!isReady} />
      <StageButton
        label={words.chat}
        hint={`${words.chat} (C)`}
        isPressed={panels.isChatOpen}
        look={panels.isChatOpen ? 'active' : 'plain'}
        onClick={panels.toggleChat}
        data-testid="toggle-call-chat"
      >
        <IconMessageCircle />
      </StageButton>
      <MoreMenu call={call} panels={panels} hasRecord={isNarrow} hasShortcuts={!isNarrow} />
      <StageButton
        label={words.hangUp}
        look="danger"
        className={classes['hangUp']}
        onClick={() => void hangUp()}
        data-testid="hang-up"
      >
        <IconPhone />
      </StageButton>
    </div>
  );
}

/** What the record button does. Both parties see the recording, but only the party that started it can stop it. */
function useRecord({ status, recordedBy, peer }: CurrentCall) {
  const { toggleRecording } = useCall();
  const words = useWords().calls;
  const { run, isRunning } = useAction(toggleRecording);
  const name = usePartyName(peer);
  const isTheirs = recordedBy === peer;
  const isOwn = recordedBy !== null && !isTheirs;
  return {
    hint: isTheirs ? words.recordedBy(name) : isOwn ? words.stopRecording : words.recordThis,
    isOwn,
    isDisabled: status !== 'active' || isTheirs || isRunning,
    toggle: () => void run(),
  };
}

function RecordControl({ call }: { call: CurrentCall }) {
  const words = useWords().calls;
  const { hint, isOwn, isDisabled, toggle } = useRecord(call);
  return (
    <StageButton
      label={words.record}
      hint={hint}
      isPressed={isOwn}
      look={isOwn ? 'active' : 'plain'}
      disabled={isDisabled}
      onClick={toggle}
      data-testid="toggle-recording"
    >
      {isOwn ? <IconPlayerStop /> : <IconPlayerRecord />}
    </StageButton>
  );
}

interface MoreProps {
  call: CurrentCall;
  panels: CallPanels;
  hasRecord: boolean;
  hasShortcuts: boolean;
}

function MoreMenu({ call, panels, hasRecord, hasShortcuts }: MoreProps) {
  const words = useWords().calls;
  const record = useRecord(call);
  const { addPeople, toggleWindow, fullscreen } = panels;
  return (
    <Menu
      side="top"
      trigger={
        <StageButton label={words.more} data-testid="call-more">
          <IconDotsVertical />
        </StageButton>
      }
    >
      {addPeople && (
        <MenuItem
          icon={<IconUserPlus size={18} aria-hidden />}
          isDisabled={call.status !== 'active'}
          onSelect={addPeople}
          data-testid="add-people"
        >
          {words.addPeople}…
        </MenuItem>
      )}
      {hasRecord && (
        <MenuItem
          icon={<IconPlayerRecord size={18} aria-hidden />}
          isDisabled={record.isDisabled}
          onSelect={record.toggle}
          data-testid="toggle-recording"
        >
          {record.hint}
        </MenuItem>
      )}
      {toggleWindow && (
        <MenuItem
          icon={<IconPictureInPicture size={18} aria-hidden />}
          onSelect={toggleWindow}
          data-testid="picture-in-picture"
        >
          {words.pictureInPicture}
        </MenuItem>
      )}
      {fullscreen.isPossible && (
        <MenuItem
          icon={
            fullscreen.isOn ? <IconMinimize size={18} aria-hidden /> : <IconMaximize size={18} aria-hidden />
          }
          onSelect={fullscreen.toggle}
          data-testid="toggle-fullscreen"
        >
          {fullscreen.isOn ? words.exitFullScreen : words.fullScreen}
        </MenuItem>
      )}
      {hasShortcuts && (
        <MenuItem
          icon={<IconKeyboard size={18} aria-hidden />}
          onSelect={panels.showShortcuts}
          data-testid="call-shortcuts"
        >
          {words.shortcuts}
        </MenuItem>
      )}
    </Menu>
  );
}
