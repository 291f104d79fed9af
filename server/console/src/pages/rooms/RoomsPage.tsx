import { useParams } from 'wouter';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { NoWallet } from '../calls/NoWallet.tsx';
import { NewRoom } from './NewRoom.tsx';
import { RoomList } from './RoomList.tsx';
import { RoomPage } from './RoomPage.tsx';

/** Conference rooms: the list, a new room, or one room. */
export function RoomsPage() {
  const { wallet } = useSignedIn();
  const { room } = useParams<{ room?: string }>();
  if (!wallet) {
    return (
      <NoWallet title="Rooms need a wallet">
        You join rooms with a wallet, and your account has no wallet yet. Link one on your profile page.
      </NoWallet>
    );
  }
  if (room === undefined) return <RoomList />;
  if (room === 'new') return <NewRoom />;
  // The key makes another room's link start over with that room.
  return <RoomPage key={room} roomId={room} />;
}
