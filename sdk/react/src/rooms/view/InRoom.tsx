import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { useFullscreen } from '../../ui/useFullscreen.ts';
import { VisuallyHidden } from '../../ui/Basics.tsx';
import { useHotkeys } from '../../ui/useHotkeys.ts';
import { useWords } from '../../words/WordsContext.tsx';
import { sharing } from '../roomState.ts';
import { useRoomContext } from '../useRoom.ts';
import { Banners } from './Banners.tsx';
import { ControlBar } from './ControlBar.tsx';
import type { RoomLayout } from './controlBarProps.ts';
import { GridLayout } from './GridLayout.tsx';
import { HiddenVideos } from './HiddenVideos.tsx';
import classes from './InRoom.module.css';
import { RoomAudio } from './RoomAudio.tsx';
import { RoomShortcuts } from './RoomShortcuts.tsx';
import { RoomTop } from './RoomTop.tsx';
import { SidePanel, type PanelName } from './SidePanel.tsx';
import { SpeakerLayout } from './SpeakerLayout.tsx';
import { useSize } from './useSize.ts';

interface Props {
  /** The layout at first. */
  layout: RoomLayout;
  isFullWindow: boolean;
  tools?: ReactNode;
}

/** The width below which there is little space, in pixels. It is that of the style sheet. */
const narrow = 768;

/** The room: tiles, shared screens, controls, and panels for people and chat. */
export function InRoom({ layout: first, isFullWindow, tools }: Props) {
  const words = useWords().rooms;
  const { controller, room, roomId, participants, tracks, unread, announcement, isHost, isGranted } =
    useRoomContext();
  const frame = useRef<HTMLElement>(null);
  const { width } = useSize(frame);
  const [panel, setPanel] = useState<PanelName | null>(null);
  const [chosen, setChosen] = useState(first);
  const [pinned, setPinned] = useState<string | null>(null);
  const [hasShortcuts, setShortcuts] = useState(false);
  const fullscreen = useFullscreen();
  const togglePanel = (name: PanelName) => setPanel((open) => (open === name ? null : name));
  const toggleLayout = () => {
    setPinned(null);
    setChosen((layout) => (layout === 'grid' ? 'speaker' : 'grid'));
  };
  useHotkeys({
    m: () => isGranted('microphone') && void controller.toggleAudio(),
    v: () => isGranted('camera') && void controller.toggleVideo(),
    s: () => isGranted('screen') && void controller.toggleScreen(),
    h: () => void controller.toggleHand(),
    c: () => togglePanel('chat'),
    p: () => togglePanel('people'),
    b: () => isHost && togglePanel('breakouts'),
    l: toggleLayout,
    f: () => fullscreen.isPossible && fullscreen.toggle(),
    '?': () => setShortcuts(true),
    Escape: () => setPanel(null),
  });
  useEffect(() => frame.current?.focus(), []);
  useEffect(() => {
    if (panel === 'chat' && unread > 0) controller.readChat();
  }, [controller, panel, unread]);
  const isPinnedHere = participants.some(({ id }) => id === pinned);
  const screen = sharing(participants, tracks);
  const layout: RoomLayout = screen || isPinnedHere ? 'speaker' : chosen;
  // The same function always, so that tiles need not render again.
  const pin = useCallback((id: string) => setPinned((before) => (before === id ? null : id)), []);
  const invite = () => setPanel('people');
  return (
    <section
      ref={frame}
      tabIndex={-1}
      className={classes['room']}
      aria-label={words.room(room?.name ?? '')}
      data-window={isFullWindow || fullscreen.isOn}
      data-testid="in-room"
      data-room={roomId}
      data-layout={layout}
    >
      <RoomTop onInvite={invite} tools={tools} />
      <Banners onBreakouts={() => setPanel('breakouts')} />
      <div className={classes['middle']} data-panel={panel !== null}>
        {layout === 'grid' ? (
          <GridLayout onPin={pin} onInvite={invite} />
        ) : (
          <SpeakerLayout screen={screen} pinned={isPinnedHere ? pinned : null} onPin={pin} />
        )}
        {panel && (panel !== 'breakouts' || isHost) && (
          <SidePanel name={panel} onClose={() => setPanel(null)} />
        )}
      </div>
      <ControlBar
        panel={panel}
        onPanel={togglePanel}
        layout={layout}
        onLayout={toggleLayout}
        onFullscreen={fullscreen.isPossible ? fullscreen.toggle : undefined}
        isFullscreen={fullscreen.isOn}
        isNarrow={width > 0 && width <= narrow}
      />
      <RoomAudio />
      <HiddenVideos />
      {hasShortcuts && <RoomShortcuts onClose={() => setShortcuts(false)} />}
      <VisuallyHidden style={{ inset: 0, margin: 0 }} role="status" data-testid="room-announcement">
        {announcement}
      </VisuallyHidden>
    </section>
  );
}
