import { VisuallyHidden } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { sharing } from '../roomState.ts';
import { useRoom } from '../useRoom.ts';
import { Banners } from './Banners.tsx';
import { Grid } from './Grid.tsx';
import classes from './InRoom.module.css';
import { RoomBar, type Layout } from './RoomBar.tsx';
import { RoomTop } from './RoomTop.tsx';
import { SidePanel, type PanelName } from './SidePanel.tsx';
import { Sounds } from './Sounds.tsx';
import { SpeakerView } from './SpeakerView.tsx';
import { HiddenVideos } from './HiddenVideos.tsx';

/** Fills the window with the room: tiles, shared screens, and panels for people and chat. */
export function InRoom() {
  const { controller, state, isHost, isGranted } = useRoom();
  const frame = useRef<HTMLElement>(null);
  const [panel, setPanel] = useState<PanelName | null>(null);
  const [chosen, setChosen] = useState<Layout>('grid');
  const [pinned, setPinned] = useState<string | null>(null);
  const togglePanel = (name: PanelName) => setPanel((open) => (open === name ? null : name));
  const toggleLayout = () => {
    setPinned(null);
    setChosen((layout) => (layout === 'grid' ? 'speaker' : 'grid'));
  };
  useHotkeys([
    ['m', () => isGranted('microphone') && void controller.toggleAudio()],
    ['v', () => isGranted('camera') && void controller.toggleVideo()],
    ['s', () => isGranted('screen') && void controller.toggleScreen()],
    ['h', () => void controller.toggleHand()],
    ['c', () => togglePanel('chat')],
    ['p', () => togglePanel('people')],
    ['b', () => isHost && togglePanel('breakouts')],
    ['l', toggleLayout],
    ['Escape', () => setPanel(null)],
  ]);
  // The page below is inert, so keyboard focus moves to the room.
  useEffect(() => frame.current?.focus(), []);
  const { unread } = state;
  useEffect(() => {
    if (panel === 'chat' && unread > 0) controller.readChat();
  }, [controller, panel, unread]);
  const isPinnedHere = state.participants.some(({ id }) => id === pinned);
  const screen = sharing(state.participants, state.tracks);
  const layout: Layout = screen || isPinnedHere ? 'speaker' : chosen;
  const pin = (id: string) => setPinned((before) => (before === id ? null : id));
  return (
    <section
      ref={frame}
      tabIndex={-1}
      className={classes['room']}
      aria-label={`Room ${state.room?.name ?? ''}`}
      data-testid="in-room"
      data-room={controller.roomId}
      data-layout={layout}
    >
      <RoomTop onInvite={() => setPanel('people')} />
      <Banners onBreakouts={() => setPanel('breakouts')} />
      <div className={classes['middle']} data-panel={panel !== null}>
        {layout === 'grid' ? (
          <Grid pinned={null} onPin={pin} onInvite={() => setPanel('people')} />
        ) : (
          <SpeakerView screen={screen} pinned={isPinnedHere ? pinned : null} onPin={pin} />
        )}
        {panel && (panel !== 'breakouts' || isHost) && (
          <SidePanel name={panel} onClose={() => setPanel(null)} />
        )}
      </div>
      <RoomBar panel={panel} onPanel={togglePanel} layout={layout} onLayout={toggleLayout} />
      <Sounds />
      <HiddenVideos />
      <VisuallyHidden m={0} role="status" data-testid="room-announcement">
        {state.announcement}
      </VisuallyHidden>
    </section>
  );
}
