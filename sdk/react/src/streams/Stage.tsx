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
import { spokenDuration } from '../core/format.ts';
import { FlipCamera } from '../devices/FlipCamera.tsx';
import { Row } from '../ui/Basics.tsx';
import { Button } from '../ui/Button.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { StageButton } from '../ui/StageButton.tsx';
import { useKeptFocus } from '../ui/useKeptFocus.ts';
import { useWords } from '../words/WordsContext.tsx';
import { GoLive } from './GoLive.tsx';
import { moodOf } from './streamState.ts';
import classes from './Streams.module.css';
import type { StudioState } from './StudioController.ts';
import { StreamVideo } from './StreamVideo.tsx';
import { useStudio } from './useStudio.ts';

/** The video area of the studio: the host's own video, the viewer preview, the set-up or the status. */
export function Stage() {
  const { state } = useStudio();
  const [isSettingUp, setIsSettingUp] = useState(false);
  const stage = useKeptFocus<HTMLDivElement>();
  const view = viewOf(state, isSettingUp);
  if (!view) return null;
  const closeSetUp = () => setIsSettingUp(false);
  return (
    <div ref={stage} tabIndex={-1} className={classes['kept']}>
      {view === 'own' && <OwnVideo />}
      {view === 'over' && <Over />}
      {view === 'setUp' && <GoLive onCancel={closeSetUp} onLive={closeSetUp} />}
      {view === 'preview' && <Preview />}
      {view === 'status' && <NotHere onSetUp={() => setIsSettingUp(true)} />}
    </div>
  );
}

function viewOf({ stream, sending, preview }: StudioState, isSettingUp: boolean) {
  if (!stream) return null;
  if (sending === 'yes') return 'own';
  if (stream.status === 'ended') return 'over';
  if (isSettingUp || sending === 'starting') return 'setUp';
  return preview === 'on' ? 'preview' : 'status';
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
  const words = useWords().streams;
  if (!state.stream) return null;
  const mood = moodOf(state.stream);
  const [title, text] = {
    idle: [words.idle, words.idleAdvice],
    live: [words.liveElsewhere, words.liveElsewhereAdvice],
    away: [words.awayTitle, words.awayAdvice],
    ended: ['', ''],
  }[mood];
  const isLive = mood === 'live';
  return (
    <Frame label={words.video} isTall>
      <div className={classes['message']} data-testid="stage-message" data-state={mood}>
        {mood === 'away' && <Spinner />}
        <div role="status">
          <h2>{title}</h2>
        </div>
        <p>{text}</p>
        <Row gap="0.625rem" style={{ justifyContent: 'center' }}>
          {isLive && (
            <Button
              icon={<IconEye size={18} aria-hidden />}
              isLoading={state.preview === 'starting'}
              onClick={() => void controller.showPreview()}
              data-testid="show-preview"
            >
              {words.showPreview}
            </Button>
          )}
          <Button
            icon={<IconBroadcast size={18} aria-hidden />}
            variant={isLive ? 'outline' : 'filled'}
            onClick={onSetUp}
            data-testid="set-up-live"
          >
            {isLive ? words.takeOver : words.setUp}
          </Button>
        </Row>
      </div>
    </Frame>
  );
}

function Preview() {
  const { controller, state } = useStudio();
  const words = useWords().streams;
  return (
    <Frame label={words.previewLabel}>
      <StreamVideo tracks={state.tracks} isMuted testId="preview-video" />
      {state.tracks.size === 0 && <Spinner />}
      <div className={classes['bar']}>
        {words.preview}
        <Button
          className={classes['pushed']}
          variant="outline"
          size="sm"
          icon={<IconEyeOff size={16} aria-hidden />}
          onClick={() => void controller.hidePreview()}
          data-testid="hide-preview"
        >
          {words.hidePreview}
        </Button>
      </div>
    </Frame>
  );
}

function OwnVideo() {
  const { controller, state } = useStudio();
  const words = useWords().streams;
  const { local, own, choice, mediaFailed } = state;
  const video = useRef<HTMLVideoElement>(null);
  const isScreen = choice?.source === 'screen';
  useEffect(() => {
    const element = video.current;
    if (element && element.srcObject !== local.stream) element.srcObject = local.stream;
  }, [local, own.video]);
  return (
    <Frame label={words.yourVideo}>
      <video
        ref={video}
        className={isScreen ? undefined : classes['mirrored']}
        hidden={!own.video}
        autoPlay
        playsInline
        muted
        aria-label={isScreen ? words.yourScreen : words.yourCamera}
        data-testid="own-video"
      />
      {!own.video && (
        <div className={classes['message']}>
          <h2>{words.noVideo}</h2>
          <p>{own.audio ? words.heardOnly : words.silent}</p>
        </div>
      )}
      {mediaFailed && choice && (
        <>
          <div className={classes['veil']} />
          <div className={classes['message']} role="alert">
            <h2>{words.failed}</h2>
            <Button onClick={() => void controller.goLive(choice)}>{words.sendAgain}</Button>
          </div>
        </>
      )}
      <div className={classes['bar']} data-centred="true">
        <StageButton
          label={words.microphone}
          isPressed={own.audio}
          look={own.audio ? 'plain' : 'off'}
          onClick={() => void controller.toggleAudio()}
          data-testid="live-mic"
        >
          {own.audio ? <IconMicrophone aria-hidden /> : <IconMicrophoneOff aria-hidden />}
        </StageButton>
        {choice?.source !== 'none' && (
          <StageButton
            label={isScreen ? words.screen : words.camera}
            isPressed={own.video}
            look={own.video ? 'plain' : 'off'}
            onClick={() => void controller.toggleVideo()}
            data-testid="live-camera"
          >
            {isScreen ? (
              <IconScreenShare aria-hidden />
            ) : own.video ? (
              <IconVideo aria-hidden />
            ) : (
              <IconVideoOff aria-hidden />
            )}
          </StageButton>
        )}
        <FlipCamera isShown={own.video && !isScreen} />
      </div>
    </Frame>
  );
}

function Over() {
  const { state } = useStudio();
  const words = useWords().streams;
  const { stream } = state;
  if (!stream) return null;
  const { startedAt, endedAt, endReason } = stream;
  const lasted = startedAt && endedAt && spokenDuration((endedAt.getTime() - startedAt.getTime()) / 1_000);
  return (
    <Frame label={words.video} isTall>
      <div className={classes['message']} data-testid="stage-message" data-state="ended">
        <div role="status">
          <h2>{words.endedTitle}</h2>
        </div>
        <p>
          {endReason === 'gone' && `${words.gone} `}
          {lasted ? words.wasLive(lasted) : words.neverLive}
        </p>
      </div>
    </Frame>
  );
}
