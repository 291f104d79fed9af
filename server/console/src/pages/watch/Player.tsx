import { StageButton } from '@parley/react';
import { Box, Button, Loader } from '@mantine/core';
import type { LiveStream } from '@parley/sdk';
import { IconMaximize, IconMinimize, IconVolume, IconVolumeOff } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { SecondVideo } from '../../streams/StreamVideo.tsx';
import streams from '../../streams/Streams.module.css';
import { moodOf } from '../../streams/streamState.ts';
import type { WatchController } from '../../streams/watch/WatchController.ts';
import type { WatchState } from '../../streams/watch/watchState.ts';
import { PlayerMessage } from './PlayerMessage.tsx';
import { useFullscreenOf } from './useFullscreenOf.ts';
import { useSound } from './useSound.ts';

interface Props {
  controller: WatchController;
  state: WatchState;
  stream: LiveStream;
}

/** The video with its controls, by WebRTC or HLS, or a message if there is no video. */
export function Player({ controller, state, stream }: Props) {
  const stage = useRef<HTMLElement>(null);
  const sound = useSound(state.isSilenced);
  const fullscreen = useFullscreenOf(stage);
  const mood = moodOf(stream);
  const isOpen = state.phase === 'open' && mood !== 'idle';
  const hasMessage = !isOpen || mood === 'away' || state.off !== null;
  const hasVideo = state.hasMedia;
  const isWaiting = isOpen && (!sound.isPlaying || state.isStuck) && state.off === null;
  return (
    <section
      ref={stage}
      className={streams['stage']}
      data-tall={!isOpen}
      aria-label="Video"
      data-testid="player"
      data-state={state.phase === 'open' ? mood : state.phase}
    >
      {hasVideo && (
        <PlayerVideo
          controller={controller}
          state={state}
          isMuted={sound.isMuted}
          onElement={sound.onElement}
        />
      )}
      {hasMessage && (
        <>
          {hasVideo && <div className={streams['veil']} />}
          <PlayerMessage
            state={state}
            stream={stream}
            isGuest={controller.guest !== null}
            onOpen={controller.retry}
          />
        </>
      )}
      {isWaiting && mood === 'live' && (
        <div className={streams['message']} role="status">
          <Loader type="dots" color="#f3f7f5" aria-label="Loading video" />
        </div>
      )}
      {hasVideo && sound.isRefused && (
        <Button
          className={streams['unmute'] ?? ''}
          leftSection={<IconVolumeOff size={20} />}
          onClick={sound.toggle}
          data-testid="unmute"
        >
          Unmute
        </Button>
      )}
      {hasVideo && (
        <div className={streams['bar']}>
          <StageButton label={sound.isMuted ? 'Unmute' : 'Mute'} onClick={sound.toggle} data-testid="sound">
            {sound.isMuted ? <IconVolumeOff size={20} /> : <IconVolume size={20} />}
          </StageButton>
          <Box ml="auto" />
          {fullscreen.isPossible && (
            <StageButton
              label={fullscreen.isOn ? 'Exit full screen' : 'Full screen'}
              onClick={fullscreen.toggle}
              data-testid="fullscreen"
            >
              {fullscreen.isOn ? <IconMinimize size={20} /> : <IconMaximize size={20} />}
            </StageButton>
          )}
        </div>
      )}
    </section>
  );
}

interface PlayerVideoProps {
  controller: WatchController;
  state: WatchState;
  isMuted: boolean;
  onElement: (element: HTMLVideoElement | null) => void;
}

/** The main video, which the player fills and, if the host shares a screen too, the camera in a corner and the screen's audio. */
function PlayerVideo({ controller, state: { way, tracks }, isMuted, onElement }: PlayerVideoProps) {
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
  return (
    <>
      <video ref={video} autoPlay playsInline aria-label="Stream" data-testid="watch-video" data-way={way} />
      <SecondVideo tracks={tracks} isMuted={isMuted} />
    </>
  );
}
