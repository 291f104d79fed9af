import { Store, useStore } from '@parley/react';
import { lazy, Suspense, type ReactNode } from 'react';
import { useSignedIn } from '../session/ParleyClient.tsx';
import type { RoomController } from './RoomController.ts';
import { noRoom } from './roomState.ts';
import { RoomContext } from './useRoom.ts';

const InRoom = lazy(async () => ({ default: (await import('./view/InRoom.tsx')).InRoom }));

const noController = new Store<RoomController | null>(null);
const nothing = new Store(noRoom);

/** Fills the window with the room that the signed-in wallet has joined. */
export function RoomLayer({ children }: { children: ReactNode }) {
  const { wallet } = useSignedIn();
  return <RoomOver controller={useStore(wallet?.rooms.current ?? noController)}>{children}</RoomOver>;
}

/** Fills the window with a room while the user is inside. The pages below it are inert. */
export function RoomOver({
  controller,
  children,
}: {
  controller: RoomController | null;
  children: ReactNode;
}) {
  const { phase } = useStore(controller?.store ?? nothing);
  const isInside = phase === 'inside';
  return (
    <>
      <div inert={isInside}>{children}</div>
      {controller && isInside && (
        <RoomContext value={controller}>
          <Suspense>
            <InRoom />
          </Suspense>
        </RoomContext>
      )}
    </>
  );
}
