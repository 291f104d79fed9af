import type { MediaTrack, Parley } from '@parley/sdk';
import { useEffect, useReducer, useState, type ComponentProps } from 'react';
import { AppState, PixelRatio, type LayoutChangeEvent } from 'react-native';
import { MediaStream, RTCView, type MediaStreamTrack as NativeTrack } from 'react-native-webrtc';
import { shownVideos } from './ShownVideos.ts';

type ViewProps = Omit<ComponentProps<typeof RTCView>, 'streamURL'>;

/** The properties of ParleyVideo: those of RTCView, without `streamURL`, and these. */
export interface ParleyVideoProps extends ViewProps {
  /** The client. */
  client: Parley;
  /** The video, from a `media:track` event. A later track of the same participant and source replaces it automatically. */
  track: MediaTrack;
}

/** The properties of ParleyPreview: those of RTCView, without `streamURL`, and these. */
export interface ParleyPreviewProps extends ViewProps {
  /** The client. */
  client: Parley;
  /** The id of the call, room or stream. */
  id: string;
  /** What to show: this device's camera or its shared screen. @default 'camera' */
  source?: 'camera' | 'screen';
}

/**
 * Shows a participant's video. The server sends the video at the size at which it is shown, and not at all while the app is in the
 * background or the component is unmounted, as `client.media.attach()` does in a browser.
 * @example <ParleyVideo client={client} track={track} style={{ flex: 1 }} objectFit="cover" />
 */
export function ParleyVideo({ client, track, onLayout, ...view }: ParleyVideoProps) {
  const current = useCurrentTrack(client, track);
  const url = useStreamUrl(current?.track);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const isActive = useIsActive();
  const [component] = useState(() => ({}));
  useEffect(() => {
    if (current)
      shownVideos(client).set(current, component, { ...size, isVisible: isActive && size.height > 0 });
  }, [client, current, component, size, isActive]);
  useEffect(() => {
    if (current) return () => shownVideos(client).set(current, component, null);
  }, [client, current, component]);
  const measure = (event: LayoutChangeEvent) => {
    const { width, height } = event.nativeEvent.layout;
    setSize({
      width: PixelRatio.getPixelSizeForLayoutSize(width),
      height: PixelRatio.getPixelSizeForLayoutSize(height),
    });
    onLayout?.(event);
  };
  return <RTCView {...view} {...(url === undefined ? {} : { streamURL: url })} onLayout={measure} />;
}

/**
 * Shows this device's own camera or screen in a call, room or stream. A camera is shown mirrored by default.
 * @example <ParleyPreview client={client} id={call.id} style={{ width: 90, height: 120 }} />
 */
export function ParleyPreview({ client, id, source = 'camera', ...view }: ParleyPreviewProps) {
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  useEffect(
    () =>
      client.on('media:local', (local) => {
        if (local.id === id) renderAgain();
      }),
    [client, id],
  );
  const track = ownTrack(client, id, source);
  const url = useStreamUrl(track);
  return (
    <RTCView mirror={source === 'camera'} {...view} {...(url === undefined ? {} : { streamURL: url })} />
  );
}

function ownTrack(client: Parley, id: string, source: 'camera' | 'screen'): MediaStreamTrack | undefined {
  const stream = source === 'screen' ? client.media.localScreen(id) : client.media.localStream(id);
  return stream?.getVideoTracks()[0];
}

/** The track that this participant and source have now; null while there is none. */
function useCurrentTrack(client: Parley, given: MediaTrack): MediaTrack | null {
  const [known, setKnown] = useState<{ given: MediaTrack; now: MediaTrack | null }>({ given, now: given });
  const current = known.given === given ? known.now : given;
  useEffect(() => {
    const isSame = (other: MediaTrack) =>
      other.id === given.id && other.participant.id === given.participant.id && other.source === given.source;
    const stops = [
      client.on('media:track', (other) => {
        if (isSame(other)) setKnown({ given, now: other });
      }),
      client.on('media:track:ended', (other) => {
        if (other === current) setKnown({ given, now: null });
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [client, given, current]);
  return current;
}

/** The address of a stream of this track alone. RTCView does not notice when the tracks of its stream change. */
function useStreamUrl(track: MediaStreamTrack | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!track) return;
    const stream = new MediaStream([track as unknown as NativeTrack]);
    // oxlint-disable-next-line react/set-state-in-effect -- the stream exists only while this effect does
    setUrl(stream.toURL());
    return () => {
      setUrl(undefined);
      // The track is the client's, and goes on.
      stream.release(false);
    };
  }, [track]);
  return url;
}

/** Whether a user can see the app. */
function useIsActive(): boolean {
  const [isActive, setIsActive] = useState(AppState.currentState !== 'background');
  useEffect(() => {
    const subscription = AppState.addEventListener('change', (state) => setIsActive(state !== 'background'));
    return () => subscription.remove();
  }, []);
  return isActive;
}
