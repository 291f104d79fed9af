import { spokenDuration, StageButton } from '@parley/react';
import { Button, Group, Loader } from '@mantine/core';
import {
  IconBroadcast,
  IconEye,
  IconEyeOff,
  IconMicrophone,
  IconMicrophoneOff,
  IconScreenShare,
  IconVideo,
  IconVideoOff,
} from '@tabler/icons-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { moodOf } from '../../streams/streamState.ts';
import classes from '../../streams/Streams.module.css';
import { StreamVideo } from '../../streams/StreamVideo.tsx';
import { useStudio } from '../../streams/useStudio.ts';
import { GoLive } from './GoLive.tsx';

/** The video area of the studio: the host's own video, the viewer preview, the set-up or the status. */
export function Stage() {
  const { state } = useStudio();
  const [isSettingUp, setIsSettingUp] = useState(false);
  const { stream, sending, preview } = state;
  if (!stream) return null;
  if (sending === 'yes') return <OwnVideo />;
  if (stream.status === 'ended') return <Over />;
  if (isSettingUp || sending === 'starting')
    return <GoLive onCancel={() => setIsSettingUp(false)} onLive={() => setIsSettingUp(false)} />;
  if (preview === 'on') return <Preview />;
  return <NotHere onSetUp={() => setIsSettingUp(true)} />;
}

interface FrameProps {
  label: string;
  /** Whether the frame contains text, which may need more height than a video. */
  isTall?: boolean;
  children: ReactNode;
}

function Frame({ label, isTall = false, children }: FrameProps) {
  return (
    <section className={classes['stage']} data-tall={isTall} aria-label={label} data-testid="stage">
      {children}
    </section>
  );
}

/** Shown while this page does not send the stream. */
function NotHere({ onSetUp }: { onSetUp: () => void }) {
  const { controller, state } = useStudio();
  if (!state.stream) return null;
  const mood = moodOf(state.stream);
  const [title, text] = {
    idle: [
      'Not live yet',
      'Go live from this browser, or use the OBS settings below. The stream is live as soon as media arrives.',
    ],
    live: ['You are live', 'Another program or device is sending the stream.'],
    away: [
      'Waiting for the sender to reconnect',
      'The sender has disconnected. If it does not return within about a minute, the stream ends.',
    ],
    ended: ['', ''],
  }[mood];
  return (
    <Frame label="Video" isTall>
      <div className={classes['message']} data-testid="stage-message" data-state={mood}>
        {mood === 'away' && <Loader type="dots" color="#f3f7f5" />}
        <h2 role="status">{title}</h2>
        <p>{text}</p>
        <Group gap="xs" justify="center">
          {mood === 'live' && (
            <Button
              leftSection={<IconEye size={18} />}
              loading={state.preview === 'starting'}
              onClick={() => void controller.showPreview()}
              data-testid="show-preview"
            >
              Show viewer preview
            </Button>
          )}
          <Button
            leftSection={<IconBroadcast size={18} />}
            {...(mood === 'live' ? { variant: 'default' } : {})}
            onClick={onSetUp}
            data-testid="set-up-live"
          >
            {mood === 'live' ? 'Take over in this browser' : 'Go live from this browser'}
          </Button>
        </Group>
      </div>
    </Frame>
  );
}

function Preview() {
  const { controller, state } = useStudio();
  return (
    <Frame label="Viewer preview">
      <StreamVideo tracks={state.tracks} isMuted testId="preview-video" />
      {state.tracks.size === 0 && <Loader type="dots" color="#f3f7f5" />}
      <div className={classes['bar']}>
        Viewer preview without sound
        <Button
          ml="auto"
          variant="white"
          color="dark"
          size="compact-md"
          fz="sm"
          leftSection={<IconEyeOff size={16} />}
          onClick={() => void controller.hidePreview()}
          data-testid="hide-preview"
        >
          Hide preview
        </Button>
      </div>
    </Frame>
  );
}

function OwnVideo() {
  const { controller, state } = useStudio();
  const { local, own, choice, mediaFailed } = state;
  const video = useRef<HTMLVideoElement>(null);
  const isScreen = choice?.source === 'screen';
  useEffect(() => {
    const element = video.current;
    if (element && element.srcObject !== local.stream) element.srcObject = local.stream;
  }, [local, own.video]);
  return (
    <Frame label="Your video">
      <video
        ref={video}
        className={isScreen ? undefined : classes['mirrored']}
        hidden={!own.video}
        autoPlay
        playsInline
        muted
        aria-label={isScreen ? 'Your screen' : 'Your camera'}
        data-testid="own-video"
      />
      {!own.video && (
        <div className={classes['message']}>
          <h2>No video</h2>
          <p>{own.audio ? 'Viewers can hear you.' : 'Viewers cannot see or hear you.'}</p>
        </div>
      )}
      {mediaFailed && choice && (
        <>
          <div className={classes['veil']} />
          <div className={classes['message']} role="alert">
            <h2>Sending failed</h2>
            <Button onClick={() => void controller.goLive(choice)}>Send again</Button>
          </div>
        </>
      )}
      <div className={classes['bar']} data-centred="true">
        <StageButton
          label="Microphone"
          isPressed={own.audio}
          look={own.audio ? 'plain' : 'off'}
          onClick={() => void controller.toggleAudio()}
          data-testid="live-mic"
        >
          {own.audio ? <IconMicrophone /> : <IconMicrophoneOff />}
        </StageButton>
        {choice?.source !== 'none' && (
          <StageButton
            label={isScreen ? 'Screen' : 'Camera'}
            isPressed={own.video}
            look={own.video ? 'plain' : 'off'}
            onClick={() => void controller.toggleVideo()}
            data-testid="live-camera"
          >
            {isScreen ? <IconScreenShare /> : own.video ? <IconVideo /> : <IconVideoOff />}
          </StageButton>
        )}
      </div>
    </Frame>
  );
}

function Over() {
  const { state } = useStudio();
  const { stream } = state;
  if (!stream) return null;
  const { startedAt, endedAt, endReason } = stream;
  const lasted = startedAt && endedAt && spokenDuration((endedAt.getTime() - startedAt.getTime()) / 1_000);
  return (
    <Frame label="Video" isTall>
      <div className={classes['message']} data-testid="stage-message" data-state="ended">
        <h2 role="status">The stream has ended</h2>
        <p>
          {endReason === 'gone' && 'The sender did not reconnect. '}
          {lasted ? `It was live for ${lasted}.` : 'It was never live.'}
        </p>
      </div>
    </Frame>
  );
}
