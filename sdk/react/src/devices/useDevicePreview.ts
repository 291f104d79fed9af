import type { AudioProcessing } from '@parley/sdk';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useDevices } from './useDevices.ts';

export type InputKind = 'camera' | 'microphone';

export interface DevicePreview {
  /** Streams of the open devices, for the preview. */
  camera: MediaStream | null;
  microphone: MediaStream | null;
  wanted: Record<InputKind, boolean>;
  /** Why a wanted device is not open. */
  failed: Partial<Record<InputKind, 'blocked' | 'missing' | 'busy'>>;
  all: MediaDeviceInfo[];
  chosen: Record<InputKind, string | undefined>;
  toggle: (kind: InputKind) => void;
  choose: (kind: InputKind, deviceId: string) => void;
  /** Closes both devices. @returns which of them the room should open */
  release: () => { audio: boolean; video: boolean };
}

const inputs = { camera: 'videoinput', microphone: 'audioinput' } as const;

interface Open {
  /** Stores the choice for the room or stream. */
  setDevice: (kind: InputKind, deviceId: string) => Promise<unknown>;
  hasVideo: boolean;
  hasAudio: boolean;
  /** Whether the devices are closed for now, because the room or stream is opening them. */
  isPaused: boolean;
}

/** Camera and microphone for a preview before joining or streaming. Nothing is sent, and the devices are closed with the page. */
export function useDevicePreview({ setDevice, hasVideo, hasAudio, isPaused }: Open): DevicePreview {
  const [wanted, setWanted] = useState({ camera: hasVideo, microphone: hasAudio });
  const [ids, setIds] = useState<Partial<Record<InputKind, string>>>({});
  const [all, setAll] = useState<MediaDeviceInfo[]>([]);
  const look = useCallback(() => {
    const show = (found: MediaDeviceInfo[]) => {
      setAll(found);
      setIds((before) => withoutMissing(before, found));
    };
    navigator.mediaDevices?.enumerateDevices().then(show, () => undefined);
  }, []);
  const { processing } = useDevices();
  const camera = useDevice('camera', wanted.camera && hasVideo && !isPaused, ids.camera, null, look);
  const microphone = useDevice(
    'microphone',
    wanted.microphone && hasAudio && !isPaused,
    ids.microphone,
    processing,
    look,
  );
  useEffect(() => {
    look();
    navigator.mediaDevices?.addEventListener('devicechange', look);
    return () => navigator.mediaDevices?.removeEventListener('devicechange', look);
  }, [look]);
  return {
    camera: camera.stream,
    microphone: microphone.stream,
    wanted,
    failed: {
      ...(camera.failed ? { camera: camera.failed } : {}),
      ...(microphone.failed ? { microphone: microphone.failed } : {}),
    },
    all,
    chosen: {
      camera: ids.camera ?? idOf(camera.stream),
      microphone: ids.microphone ?? idOf(microphone.stream),
    },
    toggle: (kind) => setWanted((before) => ({ ...before, [kind]: !before[kind] })),
    choose: (kind, deviceId) => {
      setIds((before) => ({ ...before, [kind]: deviceId }));
      void setDevice(kind, deviceId);
    },
    release: () => {
      const opened = {
        audio: wanted.microphone && hasAudio && !microphone.failed,
        video: wanted.camera && hasVideo && !camera.failed,
      };
      camera.stop();
      microphone.stop();
      return opened;
    },
  };
}

export const ofKind = (all: MediaDeviceInfo[], kind: InputKind): MediaDeviceInfo[] =>
  all.filter((device) => device.kind === inputs[kind] && device.deviceId !== '');

/** The chosen devices that are still there. Instead of the others, the default ones are opened. */
function withoutMissing(ids: Partial<Record<InputKind, string>>, all: MediaDeviceInfo[]) {
  const isGone = (kind: InputKind) => {
    const found = ofKind(all, kind);
    return (
      ids[kind] !== undefined && found.length > 0 && !found.some(({ deviceId }) => deviceId === ids[kind])
    );
  };
  const { camera, microphone } = ids;
  if (!isGone('camera') && !isGone('microphone')) return ids;
  return {
    ...(camera && !isGone('camera') ? { camera } : {}),
    ...(microphone && !isGone('microphone') ? { microphone } : {}),
  };
}

const idOf = (stream: MediaStream | null) => stream?.getTracks()[0]?.getSettings().deviceId;

function useDevice(
  kind: InputKind,
  isWanted: boolean,
  deviceId: string | undefined,
  processing: AudioProcessing | null,
  onOpen: () => void,
) {
  const [stream, setStream] = useState<MediaStream | null>(null);
  const [failed, setFailed] = useState<'blocked' | 'missing' | 'busy' | null>(null);
  const [attempt, setAttempt] = useState(0);
  const open = useRef<MediaStream | null>(null);
  const stop = () => {
    open.current?.getTracks().forEach((track) => track.stop());
    open.current = null;
  };
  useEffect(() => {
    if (!isWanted) return;
    let isOpen = true;
    const again = () => isOpen && setAttempt((before) => before + 1);
    const constraints = { ...(deviceId ? { deviceId: { exact: deviceId } } : {}), ...processing };
    const asked = kind === 'camera' ? { video: constraints } : { audio: constraints };
    opened(asked)
      .then((given) => {
        if (!isOpen) return given.getTracks().forEach((track) => track.stop());
        open.current = given;
        // It was unplugged, or the browser has taken it away.
        for (const track of given.getTracks()) track.addEventListener('ended', again);
        setStream(given);
        setFailed(null);
        // Browsers reveal device names only after the user has given permission.
        onOpen();
      })
      .catch((error: unknown) => {
        if (isOpen) setFailed(whyNot(error));
      });
    return () => {
      isOpen = false;
      stop();
      setStream(null);
      setFailed(null);
    };
  }, [kind, isWanted, deviceId, processing, onOpen, attempt]);
  useEffect(() => {
    if (!failed) return;
    return whenAvailable(kind, () => setAttempt((before) => before + 1));
  }, [kind, failed]);
  return { stream, failed, stop };
}

/** Calls back when a device that could not be opened may be there now: one was connected, or the user has allowed it. */
function whenAvailable(kind: InputKind, onAvailable: () => void): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  navigator.mediaDevices?.addEventListener('devicechange', onAvailable, { signal });
  navigator.permissions
    ?.query({ name: kind })
    .then((permission) => permission.addEventListener('change', onAvailable, { signal }))
    // Some browsers do not know these permissions.
    .catch(() => undefined);
  return () => ending.abort();
}

/** Opens a device. Pages without https have no access to devices. */
async function opened(asked: MediaStreamConstraints): Promise<MediaStream> {
  const devices = navigator.mediaDevices as MediaDevices | undefined;
  if (!devices) throw new DOMException('no devices', 'NotAllowedError');
  return devices.getUserMedia(asked);
}

function whyNot(error: unknown): 'blocked' | 'missing' | 'busy' {
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'missing';
  return name === 'NotReadableError' || name === 'AbortError' ? 'busy' : 'blocked';
}
