import { expect, it } from 'vitest';
import { toIso } from '../../protocol/common.ts';
import type { WireConferenceRoom, WireRoomParticipant } from '../../protocol/conference.ts';
import type { Connection } from '../connection/Connection.ts';
import { Listeners } from '../connection/Listeners.ts';
import type { Media } from '../media/media.ts';
import { JoinedRooms } from './JoinedRooms.ts';
import type { ParleyEvents } from '../types.ts';

/* The order in which nodes tell of one room can't be forced on them: this connection tells it as they may. */

const ada: WireRoomParticipant = {
  id: 'par_ada',
  roomId: 'room_1',
  walletAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  displayName: 'Ada',
  role: 'participant',
  audio: true,
  video: true,
  screen: false,
  handRaised: false,
  joinedAt: toIso(new Date()),
  revision: 3,
};

/** In a room with somebody. */
async function inRoom() {
  const handlers = new Map<string, (payload: unknown) => void>();
  const room = { id: 'room_1', participants: [ada] } as Partial<WireConferenceRoom>;
  const answer = { state: 'joined', room, participant: { ...ada, id: 'par_own' }, muted: false, chat: [] };
  const connection = {
    on: (name: string, handler: (payload: unknown) => void) => void handlers.set(name, handler),
    onReconnected() {},
    onState() {},
    request: () => Promise.resolve(answer),
  };
  const events = new Listeners<ParleyEvents>();
  const told: string[] = [];
  events.on('conference:participant:updated', () => told.push('updated'));
  events.on('conference:participant:left', () => told.push('left'));
  const media = { takeUpWith() {}, session: () => undefined };
  const rooms = new JoinedRooms(connection as unknown as Connection, media as unknown as Media, events);
  await rooms.enter('room_1', undefined);
  const hears = (name: 'updated' | 'left', changes: Partial<WireRoomParticipant>) =>
    handlers.get(`conference:participant:${name}`)?.({ ...ada, ...changes });
  return { rooms, hears, told };
}

it('knows the last change of a participant, also where one before it is heard later', async () => {
  const { rooms, hears, told } = await inRoom();
  hears('updated', { revision: 5, audio: false, handRaised: true });
  hears('updated', { revision: 4, audio: false });
  hears('updated', { revision: 2, video: false });
  expect(rooms.participants('room_1')).toMatchObject([{ audio: false, video: true, handRaised: true }]);
  expect(rooms.participants('room_1')[0]).not.toHaveProperty('revision');
  expect(told).toEqual(['updated']);
});

it('has nobody back of whom a change is heard after they left', async () => {
  const { rooms, hears, told } = await inRoom();
  hears('left', { revision: 4 });
  hears('updated', { revision: 5 });
  expect(rooms.participants('room_1')).toEqual([]);
  expect(told).toEqual(['left']);
});
