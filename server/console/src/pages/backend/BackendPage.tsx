import { useParams } from 'wouter';
import { AccountRoom } from './AccountRoom.tsx';
import { AccountRooms } from './AccountRooms.tsx';

/** The rooms of the account, as its backend sees them: all of them, or one. */
export function BackendPage() {
  const { room } = useParams<{ room?: string }>();
  return room === undefined ? <AccountRooms /> : <AccountRoom key={room} id={room} />;
}
