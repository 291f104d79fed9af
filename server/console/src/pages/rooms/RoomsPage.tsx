import { useParams } from 'wouter';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { NoWallet } from '../calls/NoWallet.tsx';
import { NewRoom } from './NewRoom.tsx';
import { RoomList } from './RoomList.tsx';
import { RoomPage } from './RoomPage.tsx';

/** Rooms for many: those one has, a new one, and one that is open. */
export function RoomsPage() {
  const { wallet } = useSignedIn();
  const { room } = useParams<{ room?: string }>();
  if (!wallet) {
    return (
      <NoWallet title="Rooms need a wallet">
        Everyone in a room takes part as a wallet, and your account has no wallet yet. Link one on your
        profile page.
      </NoWallet>
    );
  }
  if (room === undefined) return <RoomList />;
  if (room === 'new') return <NewRoom />;
  // Another link is another room.
  return <RoomPage key={room} roomId={room} />;
}
