import { expect, it, onTestFinished, vi } from 'vitest';
import { Listeners } from '../connection/Listeners.ts';
import type { Platform } from '../platform/Platform.ts';
import type { ParleyEvents } from '../types.ts';
import type { MediaDevice } from './device.ts';
import { Inputs } from './Inputs.ts';
import type { Playback } from './Playback.ts';
import { Sessions } from './Sessions.ts';

/* The fake devices of a browser are always a camera and a microphone. Here a computer lacks one of them. */

interface Wanted {
  audio?: boolean | { deviceId?: { exact: string } };
  video?: boolean | object;
}

/** A computer with these devices. `capture` returns what it opens, for example `headset`. */
function computer(devices: { kind: MediaDeviceKind; deviceId: string }[]) {
  const mediaDevices = {
    enumerateDevices: () => Promise.resolve(devices.map((device) => ({ ...device, label: device.deviceId }))),
    addEventListener: () => undefined,
  };
  vi.stubGlobal('navigator', { mediaDevices });
  onTestFinished(() => void vi.unstubAllGlobals());
  const find = (kind: MediaDeviceKind, wanted: unknown) => {
    const { exact } = (wanted as { deviceId?: { exact?: string } }).deviceId ?? {};
    const found = devices.find((one) => one.kind === kind && (exact ?? one.deviceId) === one.deviceId);
    // As browsers do if any of the wanted devices is missing.
    if (!found) throw new DOMException('Requested device not found', 'NotFoundError');
    return { kind: kind.slice(0, 5), label: found.deviceId };
  };
  const getUserMedia = ({ audio, video }: Wanted) =>
    Promise.resolve().then(() => {
      const tracks = [
        ...(audio ? [find('audioinput', audio)] : []),
        ...(video ? [find('videoinput', video)] : []),
      ];
      return { getTracks: () => tracks } as unknown as MediaStream;
    });
  const events = new Listeners<ParleyEvents>();
  const inputs = new Inputs({
    sessions: new Sessions(events),
    playback: {} as Playback,
    device: {} as MediaDevice,
    events,
    platform: { hasDocument: true } as Platform,
    options: { getUserMedia } as never,
    baseUrl: '',
  });
  const capture = async () => {
    const tracks = await inputs.capture({ audio: true, video: true }, ['camera', 'microphone']);
    return tracks.map(({ label }) => label);
  };
  return { inputs, capture };
}

const microphones = ['built-in', 'headset'].map((deviceId) => ({ kind: 'audioinput' as const, deviceId }));

it('opens the chosen microphone on a computer without a camera', async () => {
  const { inputs, capture } = computer(microphones);
  await inputs.chooseDevice('microphone', 'headset');
  expect(await capture()).toEqual(['headset']);
  expect(await capture()).toEqual(['headset']);
});

it('opens the default microphone once the chosen one is gone', async () => {
  const { inputs, capture } = computer(microphones);
  await inputs.chooseDevice('microphone', 'unplugged');
  expect(await capture()).toEqual(['built-in']);
});

it('opens the camera on a computer without a microphone, where both may be missing', async () => {
  const { capture } = computer([{ kind: 'videoinput', deviceId: 'webcam' }]);
  expect(await capture()).toEqual(['webcam']);
  expect(await computer([]).capture()).toEqual([]);
});

it('does not close an effect that is switched off and on at once', async () => {
  const { inputs } = computer([]);
  const close = vi.fn();
  const effect = { apply: (track: MediaStreamTrack) => Promise.resolve(track), close };
  await inputs.setEffect('camera', effect);
  await Promise.all([inputs.setEffect('camera', null), inputs.setEffect('camera', effect)]);
  expect(close).not.toHaveBeenCalled();
  await inputs.setEffect('camera', null);
  expect(close).toHaveBeenCalledOnce();
});
