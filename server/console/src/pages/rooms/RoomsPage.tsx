import { useParams } from 'wouter';
import { NewRoom } from './NewRoom.tsx';
import { RoomList } from './RoomList.tsx';
import { RoomPage } from './RoomPage.tsx';

/** Conference rooms: the list, a new room, or one room. */
export function RoomsPage() {
  const { room } = useParams<{ room?: string }>();
  if (room === undefined) return <RoomList />;
  if (room === 'new') return <NewRoom />;
  // The key makes another room's link start over with that room.
  return <RoomPage key={room} roomId={room} />;
}
