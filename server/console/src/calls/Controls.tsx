import { shortAddress } from '@parley/sdk';
import { Tooltip, UnstyledButton } from '@mantine/core';
import {
  IconMaximize,
  IconMicrophone,
  IconMicrophoneOff,
  IconMinimize,
  IconPhone,
  IconPlayerRecord,
  IconPlayerStop,
  IconVideo,
  IconVideoOff,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAction } from '../data/useAction.ts';
import { useCalls } from '../session/ParleyClient.tsx';
import type { CurrentCall } from './callState.ts';
import { DeviceMenu } from './DeviceMenu.tsx';
import classes from './InCall.module.css';
import { useFullscreen } from './useFullscreen.ts';

export function Controls({ call }: { call: CurrentCall }) {
  const { controller } = useCalls();
  const { muted, cameraOn } = call;
  // Nothing can be muted until the server has confirmed the call.
  const isReady = call.status !== 'opening';
  return (
    <div className={classes['controls']} role="toolbar" aria-label="Call controls">
      <Control
        label="Mute"
        hint={muted ? 'Unmute (M)' : 'Mute (M)'}
        isPressed={muted}
        isDisabled={!isReady}
        onClick={() => void controller.toggleMute()}
        testId="toggle-mute"
      >
        {muted ? <IconMicrophoneOff /> : <IconMicrophone />}
      </Control>
      <Control
        label="Camera off"
        hint={cameraOn ? 'Turn camera off (V)' : 'Turn camera on (V)'}
        isPressed={!cameraOn}
        isDisabled={!isReady}
        onClick={() => void controller.toggleCamera()}
        testId="toggle-camera"
      >
        {cameraOn ? <IconVideo /> : <IconVideoOff />}
      </Control>
      <RecordControl call={call} />
      <DeviceMenu call={call} />
      <FullscreenControl />
      <Tooltip label="Hang up">
        <UnstyledButton
          className={`${classes['button']} ${classes['hangUp']}`}
          aria-label="Hang up"
          onClick={() => void controller.hangUp()}
          data-testid="hang-up"
        >
          <IconPhone />
        </UnstyledButton>
      </Tooltip>
    </div>
  );
}

/** Shows both parties that the call is recorded. Only the party that started the recording can stop it. */
function RecordControl({ call: { status, recordedBy, peer } }: { call: CurrentCall }) {
  const { controller } = useCalls();
  const { run, isRunning } = useAction(controller.toggleRecording);
  const isTheirs = recordedBy === peer;
  const isOn = recordedBy !== null;
  const hint = isTheirs
    ? `${shortAddress(peer)} is recording this call`
    : isOn
      ? 'Stop recording'
      : 'Record this call';
  return (
    <Control
      label="Record"
      hint={hint}
      isPressed={isOn && !isTheirs}
      isDisabled={status !== 'active' || isTheirs || isRunning}
      onClick={() => void run()}
      testId="toggle-recording"
    >
      {isOn && !isTheirs ? <IconPlayerStop /> : <IconPlayerRecord />}
    </Control>
  );
}

function FullscreenControl() {
  const { isPossible, isOn, toggle } = useFullscreen();
  if (!isPossible) return null;
  return (
    <Control
      label="Full screen"
      hint={isOn ? 'Exit full screen' : 'Full screen'}
      isPressed={isOn}
      onClick={toggle}
      testId="toggle-fullscreen"
    >
      {isOn ? <IconMinimize /> : <IconMaximize />}
    </Control>
  );
}

interface ControlProps {
  /** The name of the control. It stays the same while the state changes. */
  label: string;
  /** The effect of a click in the current state. */
  hint: string;
  isPressed: boolean;
  isDisabled?: boolean;
  onClick: () => void;
  testId: string;
  children: ReactNode;
}

function Control({ label, hint, isPressed, isDisabled = false, onClick, testId, children }: ControlProps) {
  return (
    <Tooltip label={hint}>
      <UnstyledButton
        className={classes['button']}
        aria-label={label}
        aria-pressed={isPressed}
        disabled={isDisabled}
        onClick={onClick}
        data-testid={testId}
      >
        {children}
      </UnstyledButton>
    </Tooltip>
  );
}
