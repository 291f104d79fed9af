import { Identicon } from '@parley/react';
import { Flex, NativeSelect, Stack, Text } from '@mantine/core';
import { IconMicrophone, IconMicrophoneOff, IconVideo, IconVideoOff } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useAudioLevel } from '../../calls/useAudioLevel.ts';
import { OverlayButton } from '../../ui/OverlayButton.tsx';
import classes from './RoomsPage.module.css';
import { ofKind, type DeviceKind, type Devices } from './useDevices.ts';

const labels: Record<DeviceKind, string> = { camera: 'Camera', microphone: 'Microphone' };

const why = {
  blocked: 'is blocked. Allow it next to the address bar, or join without it.',
  missing: 'was not found. Connect one, or join without it.',
  busy: 'is used by another program. Close that program, or join without it.',
};

interface Props {
  devices: Devices;
  kinds: DeviceKind[];
  /** The user's wallet or `guest:…`, whose avatar is shown while the camera is off. */
  own: string;
}

/** A preview of the user's camera and microphone before joining. */
export function DeviceCheck({ devices, kinds, own }: Props) {
  return (
    <Flex
      component="section"
      direction="column"
      gap="0.875rem"
      className={classes['check'] ?? ''}
      aria-label="Camera and microphone"
    >
      <div className={classes['mirror']}>
        <Mirror stream={devices.camera} own={own} />
        <div className={classes['mirrorBar']}>
          {kinds.map((kind) => (
            <DeviceSwitch key={kind} kind={kind} devices={devices} />
          ))}
        </div>
      </div>
      {kinds.includes('microphone') && <Level stream={devices.microphone} />}
      {kinds.map((kind) => {
        const failed = devices.failed[kind];
        return (
          failed && (
            <Text
              key={kind}
              size="sm"
              c="var(--mantine-color-error)"
              role="alert"
              data-testid={`${kind}-failed`}
            >
              {labels[kind]} {why[failed]}
            </Text>
          )
        );
      })}
      <div className={classes['fields']}>
        {kinds.map((kind) => (
          <Choice key={kind} kind={kind} devices={devices} />
        ))}
      </div>
    </Flex>
  );
}

function Mirror({ stream, own }: { stream: MediaStream | null; own: string }) {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (video.current) video.current.srcObject = stream;
  }, [stream]);
  return (
    <>
      {!stream && <Identicon address={own} size="clamp(5rem, 30%, 8rem)" />}
      <video
        ref={video}
        hidden={!stream}
        autoPlay
        playsInline
        muted
        aria-label="Your camera"
        data-testid="lobby-video"
      />
    </>
  );
}

function DeviceSwitch({ kind, devices }: { kind: DeviceKind; devices: Devices }) {
  const isOn = devices.wanted[kind];
  const icons = {
    camera: isOn ? <IconVideo /> : <IconVideoOff />,
    microphone: isOn ? <IconMicrophone /> : <IconMicrophoneOff />,
  };
  return (
    <OverlayButton
      label={labels[kind]}
      isOn={isOn}
      onClick={() => devices.toggle(kind)}
      testId={`lobby-${kind}`}
    >
      {icons[kind]}
    </OverlayButton>
  );
}

/** A bar that moves with the voice. */
function Level({ stream }: { stream: MediaStream | null }) {
  const meter = useRef<HTMLDivElement>(null);
  useAudioLevel(stream, meter);
  return (
    <Stack gap={6}>
      <Text size="sm" c="dimmed">
        {stream ? 'Say something. The bar moves with your voice.' : 'Your microphone is off.'}
      </Text>
      <div ref={meter} className={classes['level']} aria-hidden data-testid="mic-level" />
    </Stack>
  );
}

function Choice({ kind, devices }: { kind: DeviceKind; devices: Devices }) {
  const found = ofKind(devices.all, kind);
  if (found.length === 0) return null;
  return (
    <NativeSelect
      label={labels[kind]}
      data={found.map(({ deviceId, label }, index) => ({
        value: deviceId,
        label: label || `${labels[kind]} ${index + 1}`,
      }))}
      value={devices.chosen[kind] ?? found[0]?.deviceId ?? ''}
      onChange={({ currentTarget }) => devices.choose(kind, currentTarget.value)}
      data-testid={`choose-${kind}`}
    />
  );
}
