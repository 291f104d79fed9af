import { IconArrowsDiagonal, IconChevronDown, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { Chat } from '../chats/Chat.tsx';
import { useServices } from '../core/ParleyProvider.tsx';
import { useSupport } from '../core/useSupport.ts';
import { usePartyName } from '../people/usePeople.ts';
import { classNames } from '../ui/classNames.ts';
import { IconButton } from '../ui/Button.tsx';
import { Shortcuts } from '../ui/Shortcuts.tsx';
import { StageButton } from '../ui/StageButton.tsx';
import { useFullscreen } from '../ui/useFullscreen.ts';
import { useHotkeys } from '../ui/useHotkeys.ts';
import { useWords } from '../words/WordsContext.tsx';
import { AddPeople } from './AddPeople.tsx';
import { CallBanner } from './CallBanner.tsx';
import { CallControls, type OnMoved } from './CallControls.tsx';
import { CallHeading } from './CallHeading.tsx';
import classes from './CallScreen.module.css';
import type { CurrentCall } from './callState.ts';
import { LocalPreview } from './LocalPreview.tsx';
import { RemoteParty } from './RemoteParty.tsx';
import { createCalls, useCall } from './useCall.ts';

interface Props {
  /** Whether it covers the window. Otherwise it fills its container, which needs a height and `position: relative`. @default true */
  isFullWindow?: boolean;
  /**
   * Shows the room that the call becomes when a party adds people, for example by going to a page with `<Room>`. Without it, people cannot
   * be added on this device, and it does not move to such a room.
   */
  onMoved?: OnMoved;
}

/** The current call: the other party large, the user's own video in a corner. Renders nothing while there is no call. */
export function CallScreen({ isFullWindow = true, onMoved }: Props) {
  const controller = useServices().get(createCalls);
  const { client } = useServices();
  const { current } = useCall();
  const latest = useRef(onMoved);
  useEffect(() => {
    latest.current = onMoved;
  });
  const canMove = onMoved !== undefined;
  useEffect(() => {
    if (!canMove) return;
    return client.on('call:moved', ({ callId, room }) => {
      controller.moved(callId);
      latest.current?.(room);
    });
  }, [canMove, client, controller]);
  return current && <Stage call={current} isFullWindow={isFullWindow} canAdd={canMove} />;
}

const canFloat = () => document.pictureInPictureEnabled;

interface StageProps {
  call: CurrentCall;
  isFullWindow: boolean;
  canAdd: boolean;
}

function Stage({ call, isFullWindow, canAdd }: StageProps) {
  const { isMinimised, minimise, toggleMicrophone, toggleCamera, toggleScreen } = useCall();
  const words = useWords().calls;
  const name = usePartyName(call.peer);
  const stage = useRef<HTMLElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const [dialog, setDialog] = useState<'people' | 'shortcuts' | null>(null);
  const [isChatOpen, setChatOpen] = useState(false);
  const fullscreen = useFullscreen();
  const hasFloating = useSupport(canFloat);
  const toggleChat = () => setChatOpen((isOpen) => !isOpen);
  const isSeen = call.remoteCamera && call.peerSends?.video !== false;
  const toggleWindow = () => {
    const done = document.pictureInPictureElement
      ? document.exitPictureInPicture()
      : video.current?.requestPictureInPicture();
    done?.catch(() => undefined);
  };
  useHotkeys({
    m: () => void toggleMicrophone(),
    v: () => void toggleCamera(),
    s: () => void (call.status === 'active' && toggleScreen()),
    c: toggleChat,
    f: () => fullscreen.isPossible && fullscreen.toggle(),
    '-': () => minimise(!isMinimised),
    '?': () => setDialog('shortcuts'),
  });
  // The page below is inert, so keyboard focus moves to the call.
  useEffect(() => {
    if (!isMinimised) stage.current?.focus();
  }, [isMinimised]);
  const hasChat = isChatOpen && !isMinimised;
  return (
    <section
      ref={stage}
      tabIndex={-1}
      className={classNames(
        classes['stage'],
        isMinimised ? classes['mini'] : isFullWindow && classes['window'],
        hasChat && classes['withChat'],
      )}
      aria-label={words.callWith(name)}
      data-testid="in-call"
      data-status={call.status}
      data-call-id={call.id ?? undefined}
      data-minimised={isMinimised}
    >
      <div className={classes['main']}>
        <RemoteParty call={call} video={video} />
        {!isMinimised && <LocalPreview call={call} />}
        <CallHeading call={call} />
        <CallBanner call={call} />
        {isMinimised ? (
          <MiniControls />
        ) : (
          <>
            <StageButton
              className={classes['minimise']}
              label={words.minimise}
              hint={`${words.minimise} (-)`}
              onClick={() => minimise(true)}
              data-testid="minimise-call"
            >
              <IconChevronDown />
            </StageButton>
            <CallControls
              call={call}
              panels={{
                isChatOpen,
                toggleChat,
                showShortcuts: () => setDialog('shortcuts'),
                addPeople: canAdd ? () => setDialog('people') : undefined,
                toggleWindow: hasFloating && isSeen ? toggleWindow : undefined,
                fullscreen,
              }}
            />
          </>
        )}
      </div>
      {hasChat && (
        <aside className={classes['side']} aria-label={words.chat}>
          <Chat
            with={call.peer}
            tools={
              <IconButton label={words.closeChat} onClick={toggleChat}>
                <IconX size={18} aria-hidden />
              </IconButton>
            }
          />
        </aside>
      )}
      {dialog === 'people' && <AddPeople onClose={() => setDialog(null)} />}
      {dialog === 'shortcuts' && (
        <Shortcuts
          title={words.shortcuts}
          keys={[
            ['M', `${words.mute} / ${words.unmute}`],
            ['V', `${words.cameraOff} / ${words.cameraOn}`],
            ['S', `${words.shareScreen} / ${words.stopSharing}`],
            ['C', words.chat],
            ['F', `${words.fullScreen} / ${words.exitFullScreen}`],
            ['-', `${words.minimise} / ${words.restore}`],
            ['?', words.shortcuts],
          ]}
          onClose={() => setDialog(null)}
        />
      )}
    </section>
  );
}

/** The buttons of a call that is shown as a small window. */
function MiniControls() {
  const { minimise, hangUp } = useCall();
  const words = useWords().calls;
  return (
    <div className={classes['controls']} role="toolbar" aria-label={words.controls}>
      <StageButton label={words.restore} onClick={() => minimise(false)} data-testid="restore-call">
        <IconArrowsDiagonal size={20} />
      </StageButton>
      <StageButton label={words.hangUp} look="danger" onClick={() => void hangUp()} data-testid="hang-up">
        <IconX size={20} />
      </StageButton>
    </div>
  );
}
