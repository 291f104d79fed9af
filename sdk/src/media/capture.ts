import { ParleyError } from '../../protocol/errors.ts';
import type { MediaOptions } from './device.ts';
import type { AudioConfig, VideoConfig } from '../types.ts';

export interface Sources extends Pick<MediaOptions, 'getUserMedia' | 'getDisplayMedia'> {
  /** Whether this is a page of a browser. */
  hasDocument?: boolean;
}

interface Wanted {
  audio?: boolean | AudioConfig;
  video?: boolean | VideoConfig;
}

/**
 * Opens microphone and camera.
 * @param sources the app's own capture functions. @default those of the browser
 * @throws ParleyError PERMISSION_DENIED (refused by the user or browser, or `blocked_by_page`), NOT_FOUND (no such device), CONFLICT (the
 * device is in use)
 */
export async function capture(wanted: Wanted, sources: Sources = {}): Promise<MediaStreamTrack[]> {
  const devices = sources.getUserMedia ? sources : browserDevices();
  if (!devices?.getUserMedia) {
    throw new ParleyError(
      'PERMISSION_DENIED',
      !sources.hasDocument
        ? 'There is no camera or microphone outside a browser. Pass new Parley({ media: { getUserMedia } }) with a function that returns a MediaStream.'
        : 'Browsers allow camera and microphone only on pages on https or localhost.',
    );
  }
  try {
    const stream = await devices.getUserMedia({
      audio: audioConstraints(wanted.audio),
      video: videoConstraints(wanted.video),
    });
    return stream.getTracks();
  } catch (cause) {
    throw toParleyError(cause, deviceTexts, [
      ...(wanted.audio ? ['microphone'] : []),
      ...(wanted.video ? ['camera'] : []),
    ]);
  }
}

/**
 * Lets the user choose a screen, window or tab to share.
 * @throws ParleyError PERMISSION_DENIED (refused by the user or browser, or not supported by the browser), NOT_FOUND, CONFLICT (the system
 * does not let the browser capture it). `extra.source` of all is `screen`
 */
export async function captureScreen(
  { audio }: { audio: boolean },
  sources: Sources = {},
): Promise<MediaStreamTrack[]> {
  const devices = sources.getDisplayMedia ? sources : browserDevices();
  if (!devices?.getDisplayMedia)
    throw new ParleyError(
      'PERMISSION_DENIED',
      !sources.hasDocument
        ? 'There is no screen to share outside a browser. Pass new Parley({ media: { getDisplayMedia } }).'
        : 'This browser does not support screen sharing.',
      { extra: ofScreen },
    );
  try {
    const stream = await devices.getDisplayMedia({ video: { frameRate: { ideal: 15, max: 30 } }, audio });
    return stream.getTracks();
  } catch (cause) {
    throw toParleyError(cause, screenTexts, ['display-capture'], { extra: ofScreen });
  }
}

const browserDevices = () => globalThis.navigator?.mediaDevices as Partial<MediaDevices> | undefined;

function audioConstraints(audio: Wanted['audio']): boolean | MediaTrackConstraints {
  if (typeof audio !== 'object') return audio ?? false;
  const { deviceId, ...processing } = audio;
  if (!deviceId && Object.keys(processing).length === 0) return true;
  return { ...(deviceId ? { deviceId: { exact: deviceId } } : {}), ...processing };
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

type CaptureTexts = Record<'NOT_FOUND' | 'CONFLICT' | 'PERMISSION_DENIED', string>;

const deviceTexts: CaptureTexts = {
  NOT_FOUND: 'There is no such camera or microphone. Connect it, or choose another one.',
  CONFLICT: 'The camera or microphone is in use by another program. Close it there and try again.',
  PERMISSION_DENIED: 'Access to the camera or microphone was refused. Allow it in the browser’s settings.',
};

const screenTexts: CaptureTexts = {
  NOT_FOUND: 'There is no screen or window to share.',
  CONFLICT: 'The system does not let the browser capture this. Choose another screen or window.',
  PERMISSION_DENIED:
    'The user, the browser or the system did not allow the screen to be shared. Browsers ask the user only in a click.',
};

/** Tells apps that an error is about the screen, and not about camera or microphone. */
const ofScreen = { source: 'screen' };

/** @param features what was asked for, as Permissions Policy names it */
function toParleyError(
  cause: unknown,
  texts: CaptureTexts,
  features: string[],
  more: { extra?: Record<string, unknown> } = {},
): ParleyError {
  // Thrown by the app's own getUserMedia.
  if (cause instanceof ParleyError) return cause;
  // The errors of react-native-webrtc are not instances of Error.
  const { name } = Object(cause) as { name?: unknown };
  const code = codes[String(name)] ?? 'PERMISSION_DENIED';
  const blocked = code === 'PERMISSION_DENIED' ? features.filter(isBlockedByPage) : [];
  if (blocked.length > 0)
    return new ParleyError(code, blockedText(blocked), { cause, reason: 'blocked_by_page', ...more });
  return new ParleyError(code, texts[code], { cause, ...more });
}

const blockedText = (features: string[]) =>
  `The website does not let this page use: ${features.join(', ')}. A page that shows it in a frame must write <iframe allow="${features.join('; ')}">, and a header Permissions-Policy must allow the same.`;

/** Whether the page around this one, or a header, does not let it use a feature. The user was not asked then. Only Chromium can tell. */
const isBlockedByPage = (feature: string): boolean =>
  (globalThis.document as PoliciedDocument | undefined)?.featurePolicy?.allowsFeature(feature) === false;

interface PoliciedDocument {
  featurePolicy?: { allowsFeature: (feature: string) => boolean };
}

const codes: Record<string, keyof CaptureTexts> = {
  NotFoundError: 'NOT_FOUND',
  OverconstrainedError: 'NOT_FOUND',
  NotReadableError: 'CONFLICT',
  AbortError: 'CONFLICT',
};
