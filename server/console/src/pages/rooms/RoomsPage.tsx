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
        In a room everybody is there as a wallet, and your account has none yet. Link one on the account page.
      </NoWallet>
    );
  }
  if (room === undefined) return <RoomList />;
  if (room === 'new') return <NewRoom />;
  // Another link is another room.
  return <RoomPage key={room} roomId={room} />;
}
