import { Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { useCalls } from '../session/ParleyClient.tsx';
import type { CurrentCall, DeviceKind } from './callState.ts';
import classes from './InCall.module.css';

const kinds = [
  { kind: 'microphone', input: 'audioinput', label: 'Microphone' },
  { kind: 'camera', input: 'videoinput', label: 'Camera' },
] as const;

/** Chooses the camera and microphone of the call. */
export function DeviceMenu({ call }: { call: CurrentCall }) {
  const [isOpen, setOpen] = useState(false);
  const [devices, setDevices] = useState<MediaDeviceInfo[]>([]);
  // Read each time the menu opens, because devices may have been plugged in or removed.
  const toggle = (open: boolean) => {
    setOpen(open);
    if (open) navigator.mediaDevices.enumerateDevices().then(setDevices, () => setDevices([]));
  };
  return (
    <Menu position="top" width={300} shadow="lg" opened={isOpen} onChange={toggle} returnFocus>
      <Tooltip label="Camera and microphone" disabled={isOpen}>
        <Menu.Target>
          <UnstyledButton
            className={classes['button']}
            aria-label="Choose camera and microphone"
            disabled={call.status === 'opening'}
            data-testid="devices"
          >
            <IconAdjustmentsHorizontal />
          </UnstyledButton>
        </Menu.Target>
      </Tooltip>
      <Menu.Dropdown mah="60dvh" style={{ overflowY: 'auto' }}>
        {kinds.map(({ kind, input, label }) => (
          <Choice
            key={kind}
            kind={kind}
            label={label}
            call={call}
            devices={devices.filter((device) => device.kind === input && device.deviceId !== '')}
          />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface ChoiceProps {
  kind: DeviceKind;
  label: string;
  call: CurrentCall;
  devices: MediaDeviceInfo[];
}

function Choice({ kind, label, call, devices }: ChoiceProps) {
  const { calls, controller } = useCalls();
  // If the device is off, the choice takes effect when it is switched on.
  const isOff = kind === 'camera' ? !call.cameraOn : call.muted;
  const used = calls.chosen[kind] ?? deviceIn(call.local, kind);
  return (
    <>
      <Menu.Label>{isOff ? `${label} (off)` : label}</Menu.Label>
      {devices.length === 0 && <Menu.Item disabled>None found</Menu.Item>}
      {devices.map(({ deviceId, label: name }, index) => (
        <Menu.Item
          key={deviceId}
          aria-current={deviceId === used || undefined}
          rightSection={deviceId === used ? <IconCheck size={16} /> : null}
          onClick={() => void controller.setDevice(kind, deviceId)}
        >
          {name || `${label} ${index + 1}`}
        </Menu.Item>
      ))}
    </>
  );
}

function deviceIn(stream: MediaStream | null, kind: DeviceKind): string | undefined {
  const tracks = kind === 'camera' ? stream?.getVideoTracks() : stream?.getAudioTracks();
  return tracks?.[0]?.getSettings().deviceId;
}
