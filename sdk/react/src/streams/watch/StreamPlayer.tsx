import type { LiveStream } from '@parley/sdk';
import {
  IconMaximize,
  IconMinimize,
  IconPictureInPicture,
  IconVolume,
  IconVolumeOff,
} from '@tabler/icons-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { useSupport } from '../../core/useSupport.ts';
import { useFullscreenOf } from '../../ui/useFullscreenOf.ts';
import { VisuallyHidden } from '../../ui/Basics.tsx';
import { Button } from '../../ui/Button.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { StageButton } from '../../ui/StageButton.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import { moodOf } from '../streamState.ts';
import classes from '../Streams.module.css';
import { SecondVideo } from '../StreamVideo.tsx';
import { PlayerMessage } from './PlayerMessage.tsx';
import { useSound, type Sound } from './useSound.ts';
import { useWatch, type Watch, type WatchOptions } from './useWatch.ts';

interface ViewProps {
  watch: Watch;
  stream: LiveStream;
  /** In place of the sign-in that a refused viewer is offered. */
  signIn?: ReactNode;
  /** Shown when the stream has ended. */
  afterEnd?: ReactNode;
  /** Shown to the host who is sending the stream. */
  toStudio?: ReactNode;
}

/** A stream, without its chat: the video with its controls, or a message if there is no video. */
export function StreamPlayer({ signIn, ...options }: WatchOptions & { signIn?: ReactNode }) {
  const watch = useWatch(options);
  const { tryAgain } = useWords().common;
  const { stream, problem } = watch.state;
  if (stream) return <PlayerView watch={watch} stream={stream} signIn={signIn} />;
  return (
    <div className={classes['stage']} data-testid="player" data-state={watch.state.phase}>
      {problem ? (
        <div className={classes['message']} role="alert">
          <h2>{problem.title}</h2>
          <p>{problem.advice}</p>
          {problem.canRetry && (
            <Button onClick={() => void watch.controller.retry()} data-testid="watch-again">
              {tryAgain}
            </Button>
          )}
        </div>
      ) : (
        <Spinner size={28} />
      )}
    </div>
  );
}

/** The video with its controls, by WebRTC or HLS, or a message if there is no video. */
export function PlayerView({ watch, stream, ...slots }: ViewProps) {
  const { state } = watch;
  const words = useWords().streams;
  const stage = useRef<HTMLElement>(null);
  const sound = useSound(state.isSilenced);
  const fullscreen = useFullscreenOf(stage);
  const mood = moodOf(stream);
  const isOpen = state.phase === 'open' && mood !== 'idle';
  const hasMessage = !isOpen || mood === 'away' || state.off !== null;
  const hasVideo = state.hasMedia;
  const isWaiting = isOpen && (!sound.isPlaying || state.isStuck) && state.off === null;
  const volumeIcon = sound.isMuted ? (
    <IconVolumeOff size={20} aria-hidden />
  ) : (
    <IconVolume size={20} aria-hidden />
  );
  return (
    <section
      ref={stage}
      className={classes['stage']}
      data-tall={!isOpen}
      aria-label={words.video}
      data-testid="player"
      data-state={state.phase === 'open' ? mood : state.phase}
    >
      {hasVideo && <PlayerVideo watch={watch} sound={sound} />}
      {hasMessage && (
        <>
          {hasVideo && <div className={classes['veil']} />}
          <PlayerMessage watch={watch} stream={stream} {...slots} />
        </>
      )}
      {isWaiting && mood === 'live' && (
        <div className={classes['message']} role="status">
          <Spinner size={28} />
          <VisuallyHidden>{words.loadingVideo}</VisuallyHidden>
        </div>
      )}
      {hasVideo && state.isSilenced && (
        <Button
          className={classes['unmute'] ?? ''}
          icon={<IconVolumeOff size={20} aria-hidden />}
          onClick={sound.toggle}
          data-testid="unmute"
        >
          {words.unmute}
        </Button>
      )}
      {hasVideo && (
        <div className={classes['bar']}>
          <StageButton
            label={sound.isMuted ? words.unmute : words.mute}
            onClick={sound.toggle}
            data-testid="sound"
          >
            {volumeIcon}
          </StageButton>
          <input
            type="range"
            className={classes['volume']}
            min={0}
            max={1}
            step={0.05}
            value={sound.isMuted ? 0 : sound.volume}
            aria-label={words.volume}
            onChange={({ currentTarget }) => sound.setVolume(Number(currentTarget.value))}
            data-testid="volume"
          />
          <span className={classes['pushed']} />
          <PictureInPicture stage={stage} />
          {fullscreen.isPossible && (
            <StageButton
              label={fullscreen.isOn ? words.exitFullscreen : words.fullscreen}
              onClick={fullscreen.toggle}
              data-testid="fullscreen"
            >
              {fullscreen.isOn ? (
                <IconMinimize size={20} aria-hidden />
              ) : (
                <IconMaximize size={20} aria-hidden />
              )}
            </StageButton>
          )}
        </div>
      )}
    </section>
  );
}

const hasPictureInPicture = () => document.pictureInPictureEnabled;

/** Shows the video in a small window above other programs, where the browser can. */
function PictureInPicture({ stage }: { stage: { current: HTMLElement | null } }) {
  const { pictureInPicture } = useWords().streams;
  if (!useSupport(hasPictureInPicture)) return null;
  const toggle = async () => {
    const video = stage.current?.querySelector('video');
    if (document.pictureInPictureElement) await document.exitPictureInPicture();
    else await video?.requestPictureInPicture();
  };
  return (
    <StageButton
      label={pictureInPicture}
      onClick={() => void toggle().catch(() => undefined)}
      data-testid="picture-in-picture"
    >
      <IconPictureInPicture size={20} aria-hidden />
    </StageButton>
  );
}

interface VideoProps {
  watch: Watch;
  sound: Sound;
}

/** The main video, which the player fills and, if the host shares a screen too, the camera in a corner and the screen's audio. */
function PlayerVideo({ watch: { controller, state }, sound: { isMuted, volume, onElement } }: VideoProps) {
  const { stream } = useWords().streams;
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    const element = video.current;
    onElement(element);
    const release = element ? controller.show(element) : undefined;
    return () => {
      release?.();
      onElement(null);
    };
  }, [controller, onElement]);
  useEffect(() => {
    if (video.current) video.current.muted = isMuted;
  }, [isMuted]);
  // After an interruption, this is another element.
  useEffect(() => {
    if (video.current) video.current.volume = volume;
  }, [volume]);
  return (
    <>
      <video
        ref={video}
        autoPlay
        playsInline
        aria-label={stream}
        data-testid="watch-video"
        data-way={state.way}
      />
      <SecondVideo tracks={state.tracks} isMuted={isMuted} volume={volume} />
    </>
  );
}
