import { IconMicrophone, IconMicrophoneOff, IconVideo, IconVideoOff } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { Avatar } from '../people/Avatar.tsx';
import { Select } from '../ui/Fields.tsx';
import { StageButton } from '../ui/StageButton.tsx';
import { useWords } from '../words/WordsContext.tsx';
import classes from './Devices.module.css';
import { isBlockedByPage } from './isBlockedByPage.ts';
import { LevelMeter } from './LevelMeter.tsx';
import { ofKind, type DevicePreview, type InputKind } from './useDevicePreview.ts';
import { VoiceProcessing } from './VoiceProcessing.tsx';

interface Props {
  devices: DevicePreview;
  kinds: readonly InputKind[];
  /** The user's wallet or `guest:…`, whose avatar is shown while the camera is off. */
  own: string;
}

/** A preview of the user's camera and microphone before joining. */
export function DeviceCheck({ devices, kinds, own }: Props) {
  const words = useWords().devices;
  return (
    <section className={classes['check']} aria-label={words.cameraAndMicrophone}>
      <div className={classes['mirror']}>
        <Mirror stream={devices.camera} own={own} />
        <div className={classes['mirrorBar']}>
          {kinds.map((kind) => (
            <DeviceSwitch key={kind} kind={kind} devices={devices} />
          ))}
        </div>
      </div>
      {kinds.includes('microphone') && (
        <div className={classes['meter']}>
          <span>{devices.microphone ? words.saySomething : words.microphoneOff}</span>
          <LevelMeter stream={devices.microphone} />
        </div>
      )}
      {kinds.map((kind) => {
        const failed = devices.failed[kind];
        return (
          failed && (
            <p key={kind} className={classes['failed']} role="alert" data-testid={`${kind}-failed`}>
              {words[kind]} {words[failed === 'blocked' && isBlockedByPage(kind) ? 'blockedByPage' : failed]}
            </p>
          )
        );
      })}
      <div className={classes['fields']}>
        {kinds.map((kind) => (
          <Choice key={kind} kind={kind} devices={devices} />
        ))}
      </div>
      {kinds.includes('microphone') && <VoiceProcessing />}
    </section>
  );
}

function Mirror({ stream, own }: { stream: MediaStream | null; own: string }) {
  const { ownCamera } = useWords().devices;
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (video.current) video.current.srcObject = stream;
  }, [stream]);
  return (
    <>
      {!stream && <Avatar address={own} size="clamp(5rem, 30%, 8rem)" />}
      <video
        ref={video}
        hidden={!stream}
        autoPlay
        playsInline
        muted
        aria-label={ownCamera}
        data-testid="lobby-video"
      />
    </>
  );
}

function DeviceSwitch({ kind, devices }: { kind: InputKind; devices: DevicePreview }) {
  const words = useWords().devices;
  const isOn = devices.wanted[kind];
  const icons = {
    camera: isOn ? <IconVideo /> : <IconVideoOff />,
    microphone: isOn ? <IconMicrophone /> : <IconMicrophoneOff />,
  };
  return (
    <StageButton
      label={words[kind]}
      hint={isOn ? words.turnOff(words[kind]) : words.turnOn(words[kind])}
      isPressed={isOn}
      look={isOn ? 'plain' : 'off'}
      onClick={() => devices.toggle(kind)}
      data-testid={`lobby-${kind}`}
    >
      {icons[kind]}
    </StageButton>
  );
}

function Choice({ kind, devices }: { kind: InputKind; devices: DevicePreview }) {
  const words = useWords().devices;
  const found = ofKind(devices.all, kind);
  if (found.length === 0) return null;
  return (
    <Select
      label={words[kind]}
      options={found.map(({ deviceId, label }, index) => ({
        value: deviceId,
        label: label || words.numbered(words[kind], index + 1),
      }))}
      value={devices.chosen[kind] ?? found[0]?.deviceId ?? ''}
      onChange={({ currentTarget }) => devices.choose(kind, currentTarget.value)}
      data-testid={`choose-${kind}`}
    />
  );
}
