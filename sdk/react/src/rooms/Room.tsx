import { useEffect, useRef, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { SignIn } from '../session/SignIn.tsx';
import { useSession } from '../session/useSession.ts';
import { classNames } from '../ui/classNames.ts';
import { useWords } from '../words/WordsContext.tsx';
import { Door } from './door/Door.tsx';
import classes from './door/Door.module.css';
import { Departed, Loading, Missing, Waiting } from './door/Outside.tsx';
import { RoomContext, useOpenedRoom, useRoomContext } from './useRoom.ts';
import type { RoomLayout } from './view/controlBarProps.ts';
import { InRoom } from './view/InRoom.tsx';

interface ProviderProps {
  /** The room's id, `room_…`. */
  id: string;
  children: ReactNode;
}

/** Opens a room, and gives it to the components below: `useRoomContext()`, `<ParticipantTile>`, `<ControlBar>` and others. */
export function RoomProvider({ id, children }: ProviderProps) {
  return <RoomContext.Provider value={useOpenedRoom(id)}>{children}</RoomContext.Provider>;
}

interface ViewProps {
  /** The name to join with. @default the name that the user enters at the door */
  name?: string;
  /**
   * Whether the user checks camera and microphone at the door before joining. Without it, the user joins at once, with both where the room
   * has them. A user who stops waiting for a host gets to the door. @default true
   */
  prejoin?: boolean;
  /** The layout at first. @default 'grid' */
  layout?: RoomLayout;
  /** Whether the room covers the window while the user is in it. Otherwise it fills its container, which needs a height. @default false */
  isFullWindow?: boolean;
  /** Buttons at the top of the room. */
  tools?: ReactNode;
  /** Buttons outside of the room, for example a link to the app's list of rooms. */
  outside?: ReactNode;
  /** Called when the user is no longer in the room. */
  onLeft?: () => void;
  className?: string;
  /** Further components, which can use `useRoomContext()`. */
  children?: ReactNode;
}

export type RoomProps = ViewProps & Omit<ProviderProps, 'children'>;

/**
 * A whole room: the door with a check of camera and microphone, the waiting room, and the room with tiles, controls, chat and people. If
 * nobody is signed in, it asks for this first.
 * @example
 * <ParleyProvider baseUrl="https://calls.example.org" participantToken={token}>
 *   <Room id={roomId} onLeft={() => history.back()} />
 * </ParleyProvider>
 */
export function Room({ id, children, ...view }: RoomProps) {
  return (
    <RoomProvider id={id}>
      <RoomView key={id} {...view} />
      {children}
    </RoomProvider>
  );
}

function RoomView(props: Omit<ViewProps, 'children'>) {
  const { layout = 'grid', isFullWindow = false, tools, onLeft, className } = props;
  const { phase } = useRoomContext();
  const latest = useRef(onLeft);
  useEffect(() => {
    latest.current = onLeft;
  });
  const wasIn = useRef(false);
  useEffect(() => {
    // At the end of the session the room is forgotten, and the next session reads it.
    const hasLeft = phase === 'out' || (phase === 'loading' && wasIn.current);
    wasIn.current = phase === 'in';
    if (hasLeft) latest.current?.();
  }, [phase]);
  if (phase !== 'in') {
    return (
      <div className={classNames(classes['outside'], !isFullWindow && classes['framed'], className)}>
        <Outside {...props} />
      </div>
    );
  }
  const room = <InRoom layout={layout} isFullWindow={isFullWindow} tools={tools} />;
  if (isFullWindow) return createPortal(room, document.body);
  return <div className={classNames(classes['box'], className)}>{room}</div>;
}

function Outside({ name, prejoin = true, outside }: ViewProps) {
  const { phase, problem, load } = useRoomContext();
  const session = useSession();
  // A user who has stopped waiting gets to the door. Joining at once would make them wait again.
  const [hasWaited, setHasWaited] = useState(false);
  if (phase === 'waiting' && !hasWaited) setHasWaited(true);
  if (phase === 'loading' && hasWaited) setHasWaited(false);
  if (session.phase === 'signedOut' && phase !== 'out') return <SignedOut />;
  switch (phase) {
    case 'loading':
      return <Loading />;
    case 'missing':
      return <Missing problem={problem} onRetry={() => void load()} tools={outside} />;
    case 'door':
    case 'joining':
      // Another name, which the app may have read only now, takes the place of the one in the door's field.
      return prejoin || (hasWaited && phase === 'door') ? (
        <Door key={name} {...(name === undefined ? {} : { name })} />
      ) : (
        <JoinAtOnce name={name ?? ''} />
      );
    case 'waiting':
      return <Waiting />;
    case 'out':
      return <Departed tools={outside} />;
    case 'in':
      return null;
  }
}

function SignedOut() {
  const { rooms, session: words } = useWords();
  const { canSignIn } = useSession();
  return (
    <div className={classes['narrow']}>
      <h1 className={classes['heading']}>{canSignIn ? words.title : rooms.cannotJoin}</h1>
      <SignIn />
    </div>
  );
}

/** Joins as soon as the door is open. If that fails, the door says why. */
function JoinAtOnce({ name }: { name: string }) {
  const { phase, problem, room, access, join, isGranted } = useRoomContext();
  const hasTried = useRef(false);
  useEffect(() => {
    if (phase !== 'door' || hasTried.current || !room) return;
    hasTried.current = true;
    void join({
      audio: room.audio && isGranted('microphone'),
      video: room.video && isGranted('camera'),
      displayName: name,
    });
  }, [phase, room, join, isGranted, name]);
  return problem || access?.allowed === false ? <Door name={name} /> : <Loading />;
}
