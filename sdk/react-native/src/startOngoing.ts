import { Platform } from 'react-native';

/** The part of react-native-incall-manager that startOngoing() uses. */
export interface AudioSession {
  start(setup: { media: 'audio' | 'video' }): void;
  stop(): void;
  setForceSpeakerphoneOn(isOn: boolean): void;
}

/** The part of @notifee/react-native that startOngoing() uses. */
export interface ForegroundService {
  createChannel(channel: { id: string; name: string }): Promise<string>;
  displayNotification(notification: {
    title: string;
    body: string;
    android: {
      channelId: string;
      asForegroundService: true;
      ongoing: true;
      foregroundServiceTypes: number[];
    };
  }): Promise<string>;
  stopForegroundService(): Promise<void>;
}

/** Options of startOngoing(). */
export interface OngoingOptions {
  /** The default export of react-native-incall-manager. */
  audio: AudioSession;
  /** Whether this is a call or room with video, which uses the speaker, and not the earpiece. @default false */
  isVideo?: boolean;
  /** For Android: the default export of @notifee/react-native. Without it, Android ends microphone and camera in the background. */
  service?: ForegroundService;
  /** For Android: the text of the notification that Android shows during the call. */
  notification?: { title: string; body: string };
}

/** A call or room that is going on on this phone. */
export interface Ongoing {
  /**
   * Plays on the loudspeaker, or on the earpiece or headset.
   * @param isOn whether to play on the loudspeaker
   */
  setSpeaker(isOn: boolean): void;
  /** Gives the audio session back and ends the foreground service. Never rejects. */
  stop(): Promise<void>;
}

const channelId = 'parley-ongoing';
/** Android's foreground service types: camera and microphone. */
const [camera, microphone] = [64, 128];

/**
 * Tells the phone that a call or room is going on: starts the audio session, and on Android a foreground service, which keeps microphone
 * and camera on while the app is in the background. Call it when the media has started, while the app is in the foreground.
 * @param options the packages for audio and service, and the kind of call
 * @returns controls the speaker and ends it
 * @throws Error if Android refuses the foreground service, for example because the app is in the background
 * @example const ongoing = await startOngoing({ audio: InCallManager, isVideo: true });
 */
export async function startOngoing(options: OngoingOptions): Promise<Ongoing> {
  const { audio, isVideo = false, service, notification } = options;
  const { title, body } = notification ?? { title: 'Call', body: 'Tap to return to the call.' };
  const usesService = service !== undefined && Platform.OS === 'android';
  if (usesService) {
    await service.createChannel({ id: channelId, name: title });
    await service.displayNotification({
      title,
      body,
      android: {
        channelId,
        asForegroundService: true,
        ongoing: true,
        foregroundServiceTypes: isVideo ? [microphone, camera] : [microphone],
      },
    });
  }
  audio.start({ media: isVideo ? 'video' : 'audio' });
  return {
    setSpeaker: (isOn) => audio.setForceSpeakerphoneOn(isOn),
    stop: async () => {
      audio.stop();
      if (usesService) await service.stopForegroundService().catch(() => undefined);
    },
  };
}
