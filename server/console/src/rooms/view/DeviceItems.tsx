import { Menu } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useRoom } from '../useRoom.ts';

const kinds = [
  { kind: 'microphone', input: 'audioinput', label: 'Microphone' },
  { kind: 'camera', input: 'videoinput', label: 'Camera' },
] as const;

/** Menu items to choose the camera and microphone. */
export function DeviceItems() {
  const { controller, state, isGranted } = useRoom();
  const [devices, setDevices] = useState<MediaDeviceInfo[]>([]);
  // Read each time the menu opens, because devices may have been plugged in or removed.
  useEffect(() => {
    navigator.mediaDevices?.enumerateDevices().then(setDevices, () => setDevices([]));
  }, []);
  const { stream } = state.local;
  const used = {
    microphone: stream?.getAudioTracks()[0]?.getSettings().deviceId,
    camera: stream?.getVideoTracks()[0]?.getSettings().deviceId,
  };
  const granted = kinds.filter(({ kind }) => isGranted(kind));
  return granted.map(({ kind, input, label }) => {
    const found = devices.filter((device) => device.kind === input && device.deviceId !== '');
    return (
      <div key={kind}>
        <Menu.Label>{label}</Menu.Label>
        {found.length === 0 && <Menu.Item disabled>None found</Menu.Item>}
        {found.map(({ deviceId, label: name }, index) => (
          <Menu.Item
            key={deviceId}
            aria-current={deviceId === used[kind] || undefined}
            rightSection={deviceId === used[kind] ? <IconCheck size={16} /> : null}
            onClick={() => void controller.setDevice(kind, deviceId)}
          >
            {name || `${label} ${index + 1}`}
          </Menu.Item>
        ))}
      </div>
    );
  });
}
