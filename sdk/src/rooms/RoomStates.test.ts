import { expect, it, onTestFinished, vi } from 'vitest';
import { ParleyError } from '../../protocol/errors.ts';
import type { Connection } from '../connection/Connection.ts';
import { Listeners } from '../connection/Listeners.ts';
import type { Media } from '../media/media.ts';
import type { ParleyEvents, Participant } from '../types.ts';
import type { JoinedRooms } from './JoinedRooms.ts';
import { RoomStates } from './RoomStates.ts';
import type { RoomState } from './stateTypes.ts';

type Waiter = RoomState['waiters'][number];

/* A test cannot make a real server refuse a single request. Here the test itself answers each one. */

const roomId = 'room_1';
const waiter: Waiter = {
  roomId,
  walletAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  displayName: null,
  askedAt: new Date(),
};

const wire = { ...waiter, askedAt: waiter.askedAt.toISOString() };

/** The state of a room for an app whose user hosts it. */
async function hosting() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const answers: { answer: (waiters: object[]) => void; fail: (error: Error) => void }[] = [];
  let onMissed = () => {};
  const connection = {
    state: 'connected',
    on: (_name: 'session:missed', handle: () => void) => (onMissed = handle),
    request: () => new Promise((answer, fail) => answers.push({ answer, fail })),
  };
  const media = { localStream: () => null, localScreen: () => null, isPlaybackBlocked: false };
  const joined = {
    room: () => ({ id: roomId, isRecording: false }),
    ownId: () => 'par_own',
    participants: () => [{ id: 'par_own', roomId, role: 'host' } as Participant],
  };
  const events = new Listeners<ParleyEvents>();
  const states = new RoomStates({
    connection: connection as unknown as Connection,
    media: media as unknown as Media,
    events,
    joined: joined as unknown as JoinedRooms,
  });
  const state = states.of(roomId);
  state.subscribe(() => undefined);
  states.joining(roomId).joined();
  const settle = async (how: (request: (typeof answers)[number] | undefined) => void) => {
    how(answers.shift());
    await vi.advanceTimersByTimeAsync(0);
  };
  await settle((request) => request?.answer([wire]));
  expect(state.get().waiters).toEqual([waiter]);
  return { state, events, connection, settle, miss: () => onMissed() };
}

const busy = new ParleyError('SERVICE_UNAVAILABLE', 'The server is busy.');

it('keeps the people in the waiting room when they cannot be read, and reads them again', async () => {
  const { state, events, settle } = await hosting();
  events.emit('connection:changed', { state: 'connected' });
  await settle((request) => request?.fail(busy));
  expect(state.get().waiters).toEqual([waiter]);
  await vi.advanceTimersByTimeAsync(1_000);
  await settle((request) => request?.answer([]));
  expect(state.get().waiters).toEqual([]);
});

it('reads the people in the waiting room again when events may be lost', async () => {
  const { state, miss, settle } = await hosting();
  miss();
  await settle((request) => request?.answer([]));
  expect(state.get().waiters).toEqual([]);
});

it('shows nobody in the waiting room to a participant who hosts no more when the answer arrives', async () => {
  const { state, events, settle } = await hosting();
  events.emit('connection:changed', { state: 'connected' });
  const { own } = state.get();
  events.emit('conference:participant:updated', { ...(own as Participant), role: 'participant' });
  await settle((request) => request?.answer([wire]));
  expect(state.get().waiters).toEqual([]);
});
