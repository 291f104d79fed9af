import { ParleyError } from '../../protocol/errors.ts';
import type { MediaOptions } from './device.ts';
import type { VideoConfig } from '../types.ts';

type Sources = Pick<MediaOptions, 'getUserMedia' | 'getDisplayMedia'>;

interface Wanted {
  audio?: boolean | { deviceId: string };
  video?: boolean | VideoConfig;
}

/**
 * Opens microphone and camera.
 * @param sources what the app captures with, in place of the browser's devices
 * @throws ParleyError PERMISSION_DENIED when the user or browser refuses, NOT_FOUND without a device, CONFLICT when it is in use
 */
export async function capture(wanted: Wanted, sources: Sources = {}): Promise<MediaStreamTrack[]> {
  const devices = sources.getUserMedia ? sources : browserDevices();
  if (!devices?.getUserMedia) {
    throw new ParleyError(
      'PERMISSION_DENIED',
      typeof document === 'undefined'
        ? 'There is no camera or microphone outside a browser: pass new Parley({ media: { getUserMedia } }), which returns a MediaStream to send.'
        : 'Browsers give camera and microphone only to pages on https or localhost.',
    );
  }
  try {
    const stream = await devices.getUserMedia({
      audio: audioConstraints(wanted.audio),
      video: videoConstraints(wanted.video),
    });
    return stream.getTracks();
  } catch (cause) {
    throw refusal(cause);
  }
}

/**
 * Lets the user choose a screen, a window or a tab to share.
 * @throws ParleyError PERMISSION_DENIED when the user or browser refuses, or the browser can't
 */
export async function captureScreen(
  { audio }: { audio: boolean },
  sources: Sources = {},
): Promise<MediaStreamTrack[]> {
  const devices = sources.getDisplayMedia ? sources : browserDevices();
  if (!devices?.getDisplayMedia)
    throw new ParleyError(
      'PERMISSION_DENIED',
      typeof document === 'undefined'
        ? 'There is no screen to share outside a browser: pass new Parley({ media: { getDisplayMedia } }).'
        : 'This browser can’t share a screen.',
    );
  try {
    const stream = await devices.getDisplayMedia({ video: { frameRate: { ideal: 15, max: 30 } }, audio });
    return stream.getTracks();
  } catch (cause) {
    throw refusal(cause);
  }
}

const browserDevices = () => globalThis.navigator?.mediaDevices as Partial<MediaDevices> | undefined;

function audioConstraints(audio: Wanted['audio']): boolean | MediaTrackConstraints {
  if (typeof audio === 'object') return { deviceId: { exact: audio.deviceId } };
  return audio ?? false;
}

function videoConstraints(video: Wanted['video']): boolean | MediaTrackConstraints {
  if (!video) return false;
  const config = video === true ? {} : video;
  return {
    width: { ideal: config.width ?? 1280 },
    height: { ideal: config.height ?? 720 },
    frameRate: { ideal: config.frameRate ?? 30 },
    ...(config.deviceId ? { deviceId: { exact: config.deviceId } } : {}),
    ...(config.facingMode ? { facingMode: config.facingMode } : {}),
  };
}

function refusal(cause: unknown): ParleyError {
  // From a getUserMedia of the app.
  if (cause instanceof ParleyError) return cause;
  const name = cause instanceof Error ? cause.name : '';
  switch (name) {
    case 'NotFoundError':
    case 'OverconstrainedError':
      return new ParleyError('NOT_FOUND', 'No such camera or microphone: connect one, or choose another.', {
        cause,
      });
    case 'NotReadableError':
    case 'AbortError':
      return new ParleyError(
        'CONFLICT',
        'Camera or microphone is in use by another program: close it there.',
        { cause },
      );
    default:
      return new ParleyError(
        'PERMISSION_DENIED',
        'Camera or microphone was refused: allow it in the browser’s settings.',
        { cause },
      );
  }
}
