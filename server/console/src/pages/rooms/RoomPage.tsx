import { ProblemAlert, useStore } from '@parley/react';
import { Button, Group, Loader } from '@mantine/core';
import { IconDoorExit } from '@tabler/icons-react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { RoomContext, useRoom } from '../../rooms/useRoom.ts';
import { departures, guestDepartures } from '../../rooms/explainRoom.ts';
import { useWalletData } from '../../session/ParleyClient.tsx';
import { usePageTitle } from '../../shell/usePageTitle.ts';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { GateCheck } from '../../gates/GateCheck.tsx';
import { Lobby } from './Lobby.tsx';
import classes from './RoomsPage.module.css';

/** The page that a room's link opens. It shows the lobby. Once the user has joined, RoomLayer covers it with the room. */
export function RoomPage({ roomId }: { roomId: string }) {
  const { rooms } = useWalletData();
  const controller = useStore(rooms.current);
  useEffect(() => rooms.open(roomId), [rooms, roomId]);
  if (controller?.pageRoomId !== roomId) return null;
  return (
    <RoomContext value={controller}>
      <OutsideRoom />
    </RoomContext>
  );
}

/** The lobby, the waiting room, or why the user is not in the room. */
export function OutsideRoom() {
  const { controller, state } = useRoom();
  usePageTitle(state.room?.name ?? 'Room');
  switch (state.phase) {
    case 'loading':
      return <LoadingRows what="the room" rows={2} height={120} />;
    case 'missing':
      return (
        <div className={classes['narrow']}>
          {state.problem && <ProblemAlert problem={state.problem} onRetry={() => void controller.load()} />}
          <ToRooms />
        </div>
      );
    case 'lobby':
    case 'joining':
      return <Lobby />;
    case 'waiting':
      return <Waiting />;
    case 'over':
      return <Departed />;
    case 'inside':
      return null;
  }
}

function Waiting() {
  const { controller, state } = useRoom();
  return (
    <section
      className={`parley-card ${classes['narrow']} ${classes['centred']}`}
      aria-label="Waiting room"
      data-testid="waiting-room"
    >
      <Loader type="dots" />
      <h1 className={classes['heading']}>{state.room?.name}</h1>
      <p role="status">You are in the waiting room. You join automatically when a host lets you in.</p>
      <Button
        variant="default"
        leftSection={<IconDoorExit size={18} />}
        onClick={() => void controller.leave()}
        data-testid="stop-waiting"
      >
        Leave
      </Button>
    </section>
  );
}

function Departed() {
  const { controller, state, guest } = useRoom();
  const { departure, room, access } = state;
  if (!departure) return null;
  const { title, advice, canReturn } = { ...departures[departure], ...(guest && guestDepartures[departure]) };
  return (
    <section
      className={`parley-card ${classes['narrow']} ${classes['centred']}`}
      aria-label="Outside the room"
      data-testid="departed"
      data-departure={departure}
    >
      <h1 className={classes['heading']}>{title}</h1>
      <p role="status">{advice}</p>
      {departure === 'access_lost' && room?.gate && access && (
        <div className={classes['lacks']}>
          <GateCheck what="room" gate={room.gate} access={access} onCheck={controller.load} />
        </div>
      )}
      <Group gap="xs" justify="center">
        {canReturn && (
          <Button onClick={() => void controller.load()} data-testid="return">
            Back to the lobby
          </Button>
        )}
        <ToRooms />
      </Group>
    </section>
  );
}

function ToRooms() {
  // A guest has no other rooms.
  if (useRoom().guest) return null;
  return (
    <Button component={Link} href="/rooms" variant="default" data-testid="to-my-rooms">
      Your rooms
    </Button>
  );
}
