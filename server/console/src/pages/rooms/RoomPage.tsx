import { Room, useRoomContext } from '@parley/react';
import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { ColourSchemeToggle } from '../../shell/ColourSchemeToggle.tsx';
import { usePageTitle } from '../../shell/usePageTitle.ts';

/** The page that a room's link opens. The room covers the window while the user is in it. */
export const RoomPage = ({ roomId }: { roomId: string }) => (
  <Room
    id={roomId}
    isFullWindow
    tools={<ColourSchemeToggle />}
    outside={
      <Button component={Link} href="/rooms" variant="default" data-testid="to-my-rooms">
        Your rooms
      </Button>
    }
  >
    <PageTitle />
  </Room>
);

/** Names the page after the room. */
export function PageTitle() {
  usePageTitle(useRoomContext().room?.name ?? 'Room');
  return null;
}
