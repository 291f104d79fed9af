import { expect, it, onTestFinished, vi } from 'vitest';
import { ParleyError } from '../../protocol/errors.ts';
import { toIso } from '../../protocol/common.ts';
import type { WireConferenceRoom, WireRoomParticipant } from '../../protocol/conference.ts';
import type { Connection } from '../connection/Connection.ts';
import { Listeners } from '../connection/Listeners.ts';
import type { Media } from '../media/media.ts';
import { JoinedRooms } from './JoinedRooms.ts';
import type { ParleyEvents } from '../types.ts';

/* A test cannot control the order in which several nodes send events. This fake connection delivers them in an order that may occur. */

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

/** A device in a room with another participant. */
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
  const emitted: string[] = [];
  events.on('conference:participant:updated', () => emitted.push('updated'));
  events.on('conference:participant:left', () => emitted.push('left'));
  const media = {
    enter: (_id: string, send: (wanted: object) => Promise<unknown>) => send({}),
    resumeWith() {},
    session: () => undefined,
  };
  const rooms = new JoinedRooms(connection as unknown as Connection, media as unknown as Media, events);
  await rooms.enter('room_1', undefined);
  const receive = (name: 'updated' | 'left', changes: Partial<WireRoomParticipant>) =>
    handlers.get(`conference:participant:${name}`)?.({ ...ada, ...changes });
  return { rooms, receive, emitted };
}

it('ignores a change of a participant that arrives after a newer one', async () => {
  const { rooms, receive, emitted } = await inRoom();
  receive('updated', { revision: 5, audio: false, handRaised: true });
  receive('updated', { revision: 4, audio: false });
  receive('updated', { revision: 2, video: false });
  expect(rooms.participants('room_1')).toMatchObject([{ audio: false, video: true, handRaised: true }]);
  expect(rooms.participants('room_1')[0]).not.toHaveProperty('revision');
  expect(emitted).toEqual(['updated']);
});

it('ignores a change of a participant who has left', async () => {
  const { rooms, receive, emitted } = await inRoom();
  receive('left', { revision: 4 });
  receive('updated', { revision: 5 });
  expect(rooms.participants('room_1')).toEqual([]);
  expect(emitted).toEqual(['left']);
});

it('reports that the room has changed while this device was away, and only then', async () => {
  const handlers = new Map<string, (payload: unknown) => void>();
  const answer = (locked: boolean) => ({
    state: 'joined',
    room: { id: 'room_1', name: 'Room', participants: [ada], isRecording: false, settings: { locked } },
    participant: { ...ada, id: 'par_own' },
    muted: false,
    chat: [],
  });
  const answers = [answer(false), answer(false), answer(true)];
  const connection = {
    state: 'connected',
    id: 'socket_1',
    ids: ['socket_1'],
    on: (name: string, handler: (payload: unknown) => void) => void handlers.set(name, handler),
    onReconnected() {},
    onState() {},
    request: () => Promise.resolve(answers.shift()),
  };
  const media = {
    enter: (_id: string, send: (wanted: object) => Promise<unknown>) => send({}),
    resumeWith() {},
    recover: () => Promise.resolve(),
    session: () => undefined,
  };
  const events = new Listeners<ParleyEvents>();
  const updates: ParleyEvents['conference:updated'][] = [];
  events.on('conference:updated', (room) => updates.push(room));
  const rooms = new JoinedRooms(connection as unknown as Connection, media as unknown as Media, events);
  await rooms.enter('room_1', undefined);
  await rooms.memberships.resume('room_1');
  expect(updates).toEqual([]);
  await rooms.memberships.resume('room_1');
  expect(updates).toMatchObject([
    { id: 'room_1', settings: { locked: true }, participants: [{ id: 'par_ada' }] },
  ]);
});

/** A device. The test itself answers its requests. */
function device() {
  const requests: string[] = [];
  const pending: { answer: (data: object) => void; fail: (error: Error) => void }[] = [];
  const connection = {
    on() {},
    onReconnected() {},
    onState() {},
    ids: [],
    request: (name: string) => {
      requests.push(name);
      return new Promise((answer, fail) => pending.push({ answer, fail }));
    },
  };
  const media = {
    enter: (_id: string, send: (wanted: object) => Promise<unknown>) => send({}),
    resumeWith() {},
    close() {},
  };
  const events = new Listeners<ParleyEvents>();
  const rooms = new JoinedRooms(connection as unknown as Connection, media as unknown as Media, events);
  return { rooms, requests, pending };
}

it('leaves a room again if the app left it before the answer to its join', async () => {
  const { rooms, requests, pending } = device();
  const entered = rooms.enter('room_1', undefined);
  await vi.waitUntil(() => pending.length > 0);
  rooms.forget('room_1');
  pending.shift()?.answer({
    state: 'joined',
    room: { id: 'room_1', participants: [] },
    participant: ada,
    chat: [],
  });
  await expect(entered).rejects.toMatchObject({ code: 'CONFLICT', reason: 'left' });
  expect(rooms.has('room_1')).toBe(false);
  expect(requests).toEqual(['conference.join', 'conference.leave']);
});

it('does not join a room that the app leaves while an earlier join is undone', async () => {
  const { rooms, requests, pending } = device();
  const lost = expect(rooms.enter('room_1', undefined)).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  pending.shift()?.fail(new ParleyError('NETWORK_ERROR', 'The server did not answer.'));
  await lost;
  const again = rooms.enter('room_1', undefined);
  const left = expect(again).rejects.toMatchObject({ code: 'CONFLICT', reason: 'left' });
  rooms.forget('room_1');
  pending.shift()?.answer({});
  await left;
  expect(requests).toEqual(['conference.join', 'conference.leave']);
});

/** A device in the waiting room of `room_1`. The test itself answers its requests. */
async function waiting() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const handlers = new Map<string, (payload: unknown) => void>();
  const requests: string[] = [];
  const answers: { answer: (data: object) => void; fail: (error: Error) => void }[] = [];
  let onReturn = () => {};
  const connection = {
    state: 'connected',
    on: (name: string, handler: (payload: unknown) => void) => void handlers.set(name, handler),
    onReconnected: (handler: () => void) => (onReturn = handler),
    onState() {},
    ids: [],
    request: (name: string) => {
      requests.push(name);
      return new Promise((answer, fail) => answers.push({ answer, fail }));
    },
  };
  const media = {
    enter: (_id: string, send: (wanted: object) => Promise<unknown>) => send({}),
    resumeWith() {},
    close() {},
  };
  const events = new Listeners<ParleyEvents>();
  const emitted: string[] = [];
  events.on('conference:waiting', () => emitted.push('waiting'));
  const rooms = new JoinedRooms(connection as unknown as Connection, media as unknown as Media, events);
  const entered = rooms.enter('room_1', undefined);
  entered.catch(() => undefined);
  const answer = async (data: object) => {
    answers.shift()?.answer(data);
    await vi.advanceTimersByTimeAsync(0);
  };
  const fail = async () => {
    answers.shift()?.fail(new ParleyError('NETWORK_ERROR', 'The server did not answer.'));
    await vi.advanceTimersByTimeAsync(0);
  };
  const reconnect = async () => {
    onReturn();
    await vi.advanceTimersByTimeAsync(0);
  };
  await answer({ state: 'waiting' });
  const admit = { state: 'joined', room: { id: 'room_1', participants: [] }, participant: ada, chat: [] };
  return { rooms, entered, requests, emitted, answer, fail, reconnect, admit, handlers };
}

it('goes on to wait for a host if the connection is lost again after an outage', async () => {
  const { rooms, entered, requests, emitted, answer, fail, reconnect, admit } = await waiting();
  await reconnect();
  await fail();
  await vi.advanceTimersByTimeAsync(1_000);
  await fail();
  // A connection that is back is used at once.
  await reconnect();
  await answer({ state: 'waiting' });
  await reconnect();
  await answer(admit);
  await entered;
  expect(rooms.has('room_1')).toBe(true);
  expect(requests).toEqual(Array.from({ length: 5 }, () => 'conference.join'));
  expect(emitted).toEqual(['waiting']);
});

it('no longer waits for a host once the app has left during an outage', async () => {
  const { rooms, entered, requests, fail, reconnect } = await waiting();
  await reconnect();
  await fail();
  rooms.forget('room_1');
  await vi.advanceTimersByTimeAsync(60_000);
  await expect(entered).rejects.toMatchObject({ code: 'CONFLICT', reason: 'left' });
  expect(requests).toEqual(['conference.join', 'conference.join']);
});

it('leaves a room again if the app left it after a host admitted it, before the answer', async () => {
  const { rooms, entered, requests, answer, admit, handlers } = await waiting();
  handlers.get('conference:admitted')?.({ roomId: 'room_1' });
  await vi.advanceTimersByTimeAsync(0);
  // Another host admits it, too.
  handlers.get('conference:admitted')?.({ roomId: 'room_1' });
  rooms.forget('room_1');
  await answer(admit);
  await expect(entered).rejects.toMatchObject({ code: 'CONFLICT', reason: 'left' });
  expect(rooms.has('room_1')).toBe(false);
  expect(requests.at(-1)).toBe('conference.leave');
});
