import type { Source } from '@parley/sdk';
import { useEffect, useRef } from 'react';
import { useWords } from '../words/WordsContext.tsx';
import classes from './Streams.module.css';
import type { Tracks } from './streamState.ts';

interface Props {
  tracks: Tracks;
  isMuted: boolean;
  /** Called with the main video element, and with null when it is removed. */
  onElement?: (element: HTMLVideoElement | null) => void;
  testId: string;
}

/** Plays a stream by WebRTC: the screen with the camera in a corner, or only the camera, and the audio of both. */
export function StreamVideo({ tracks, isMuted, onElement, testId }: Props) {
  const { stream } = useWords().streams;
  const hasScreen = tracks.has('screen');
  const main: Source = hasScreen ? 'screen' : 'camera';
  return (
    <>
      <Video
        track={tracks.get(main)}
        sound={tracks.get('microphone')}
        isMuted={isMuted}
        label={stream}
        {...(onElement ? { onElement } : {})}
        testId={testId}
      />
      <SecondVideo tracks={tracks} isMuted={isMuted} />
    </>
  );
}

interface SecondProps extends Pick<Props, 'tracks' | 'isMuted'> {
  /** From 0 to 1. @default 1 */
  volume?: number;
}

/** If the host shares a screen: the camera in a corner, and the audio of the screen. */
export function SecondVideo({ tracks, isMuted, volume = 1 }: SecondProps) {
  const { host } = useWords().streams;
  const hasScreen = tracks.has('screen');
  return (
    <>
      {hasScreen && tracks.has('camera') && (
        <Video
          track={tracks.get('camera')}
          sound={undefined}
          isMuted
          label={host}
          className={classes['inset']}
          testId="stream-inset"
        />
      )}
      {tracks.has('screen-audio') && (
        <Sound track={tracks.get('screen-audio')} isMuted={isMuted} volume={volume} />
      )}
    </>
  );
}

interface VideoProps {
  track: MediaStreamTrack | undefined;
  sound: MediaStreamTrack | undefined;
  isMuted: boolean;
  label: string;
  className?: string | undefined;
  onElement?: (element: HTMLVideoElement | null) => void;
  testId: string;
}

function Video({ track, sound, isMuted, label, className, onElement, testId }: VideoProps) {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (video.current) video.current.muted = isMuted;
  }, [isMuted]);
  useEffect(() => {
    if (video.current)
      video.current.srcObject = new MediaStream([track, sound].filter((one) => one !== undefined));
  }, [track, sound]);
  useEffect(() => {
    onElement?.(video.current);
    return () => onElement?.(null);
  }, [onElement]);
  return (
    <video ref={video} className={className} autoPlay playsInline aria-label={label} data-testid={testId} />
  );
}

interface SoundProps {
  track: MediaStreamTrack | undefined;
  isMuted: boolean;
  volume: number;
}

function Sound({ track, isMuted, volume }: SoundProps) {
  const audio = useRef<HTMLAudioElement>(null);
  useEffect(() => {
    if (audio.current && track) audio.current.srcObject = new MediaStream([track]);
  }, [track]);
  useEffect(() => {
    if (audio.current) audio.current.muted = isMuted;
  }, [isMuted]);
  useEffect(() => {
    if (audio.current) audio.current.volume = volume;
  }, [volume]);
  return <audio ref={audio} autoPlay />;
}
