import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ParleyError } from '../../protocol/errors.ts';
import type { Connection } from '../connection/Connection.ts';
import { Listeners } from '../connection/Listeners.ts';
import type { Media } from '../media/media.ts';
import type { ParleyEvents } from '../types.ts';
import { Memberships } from './Memberships.ts';

/* With a real connection, a test cannot control what happens during a request. Here the test itself answers each claim. */

const id = 'room_1';
const lost = new ParleyError('NETWORK_ERROR', 'The connection was lost.');
const refused = new ParleyError('CONFLICT', 'Another device has taken over.');

interface Claim {
  answer: (text: string) => Promise<void>;
  fail: (error: Error) => Promise<void>;
}

/** A device with one membership. */
function device() {
  const handlers = new Map<string, (payload: unknown) => void>();
  const on = (name: string) => (handler: (payload: never) => void) =>
    void handlers.set(name, handler as (payload: unknown) => void);
  const opening: (() => void)[] = [];
  const connection = {
    state: 'connected',
    id: 'socket_1',
    on: (name: string, handler: (payload: never) => void) => on(name)(handler),
    onState: on('state'),
    onReconnected: on('reconnected'),
    open: () =>
      connection.state === 'connected'
        ? Promise.resolve()
        : new Promise<void>((resolve) => opening.push(resolve)),
  };
  const log: string[] = [];
  const claims: Claim[] = [];
  const media = {
    resumeWith: () => undefined,
    recover: () => {
      log.push(`media resumed on ${connection.id}`);
      media.onRecover();
      return Promise.resolve();
    },
    onRecover: () => {},
    close: () => log.push('media closed'),
  };
  const events = new Listeners<ParleyEvents>();
  events.on('media:replaced', (room) => log.push(`replaced: ${room.scope} ${room.id}`));
  events.on('media:failed', ({ error }) => log.push(`failed: ${error.message}`));
  const memberships = new Memberships<{ name: string }, string>({
    connection: connection as unknown as Connection,
    media: media as unknown as Media,
    events,
    scope: 'conference',
    claim: (_, { name }) => {
      log.push(`claim of ${name}`);
      return new Promise((resolve, reject) =>
        claims.push({
          answer: (text) => settle(() => resolve(text)),
          fail: (error) => settle(() => reject(error)),
        }),
      );
    },
    catchUp: (answer) => log.push(`caught up: ${answer}`),
    onRefused: (_, { code }) => void log.push(`refused: ${code}`),
    onReturn: () => log.push('returned'),
  });
  memberships.on('conference:muted', () => log.push('muted'));
  memberships.add(id, { name: 'first' });
  const receive = (name: string, payload: unknown = null) => handlers.get(name)?.(payload);
  const disconnect = () => {
    connection.state = 'reconnecting';
    connection.id = '';
  };
  const reconnect = (socket: string) => {
    Object.assign(connection, { state: 'connected', id: socket });
    for (const resolve of opening.splice(0)) resolve();
    receive('reconnected');
  };
  const next = () => claims.shift() as Claim;
  return { memberships, media, log, receive, disconnect, reconnect, next, claims };
}

/** Runs everything that follows from an answer, but no timer. */
const settle = async (run: () => void) => {
  run();
  await vi.advanceTimersByTimeAsync(0);
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('claims a membership once and resumes its media, even for several causes', async () => {
  const { memberships, log, disconnect, reconnect, next } = device();
  disconnect();
  reconnect('socket_2');
  void memberships.resume(id);
  await next().answer('news');
  expect(log).toEqual(['returned', 'claim of first', 'caught up: news', 'media resumed on socket_2']);
});

it('claims again if the client reconnects after a claim and before the end of its resumption', async () => {
  const { media, log, disconnect, reconnect, next } = device();
  disconnect();
  reconnect('socket_2');
  media.onRecover = () => {
    media.onRecover = () => {};
    disconnect();
    reconnect('socket_3');
  };
  await next().answer('old');
  await next().answer('new');
  expect(log.filter((line) => line.startsWith('media'))).toEqual([
    'media resumed on socket_2',
    'media resumed on socket_3',
  ]);
});

it('does not let the resumption of a former membership hold up that of a new one', async () => {
  const { memberships, log, disconnect, reconnect, next, claims } = device();
  disconnect();
  reconnect('socket_2');
  await next().fail(lost);
  memberships.add(id, { name: 'second' });
  disconnect();
  reconnect('socket_3');
  await next().answer('news');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(log.filter((line) => line.startsWith('claim'))).toEqual(['claim of first', 'claim of second']);
  expect(claims).toEqual([]);
});

it('retries after a transient failure, but not while the connection is lost', async () => {
  const { log, disconnect, reconnect, next, claims } = device();
  disconnect();
  reconnect('socket_2');
  await next().fail(lost);
  await vi.advanceTimersByTimeAsync(1_500);
  disconnect();
  await next().fail(lost);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(claims).toEqual([]);
  reconnect('socket_3');
  await next().answer('news');
  expect(log.at(-1)).toBe('media resumed on socket_3');
});

it('claims again for as long as the connection lasts', async () => {
  const { log, receive, next } = device();
  receive('reconnected');
  for (let failures = 0; failures < 50; failures++) {
    await next().fail(lost);
    await vi.advanceTimersByTimeAsync(7_500);
  }
  await next().answer('news');
  expect(log.at(-1)).toBe('media resumed on socket_1');
});

it('claims again after pauses of up to five seconds, and a random part of half of that', async () => {
  const { receive, next, claims } = device();
  receive('reconnected');
  for (const seconds of [0.25, 0.5, 1, 2, 4, 5, 5, 5]) {
    vi.spyOn(Math, 'random').mockReturnValueOnce(0.5);
    await next().fail(lost);
    await vi.advanceTimersByTimeAsync(Math.floor(seconds * 1_250) - 1);
    expect(claims).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
  }
  expect(claims).toHaveLength(1);
});

it('waits as long as the server asks before it claims again', async () => {
  const { receive, next, claims } = device();
  receive('reconnected');
  await next().fail(new ParleyError('SERVICE_UNAVAILABLE', 'Busy.', { retryAfter: 20 }));
  await vi.advanceTimersByTimeAsync(19_999);
  expect(claims).toEqual([]);
  await vi.advanceTimersByTimeAsync(10_001);
  expect(claims).toHaveLength(1);
});

it('reports a refusal once, and the media as failed if the membership is kept', async () => {
  const { memberships, log, receive, next, claims } = device();
  receive('reconnected');
  await next().fail(refused);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(log.slice(2)).toEqual(['refused: CONFLICT', `failed: ${refused.message}`]);
  receive('reconnected');
  memberships.forget(id);
  await next().fail(refused);
  expect(log.slice(4)).toEqual(['returned', 'claim of first', 'media closed']);
  expect(claims).toEqual([]);
});

it('handles events that arrive during a claim after its answer', async () => {
  const { log, receive, next } = device();
  receive('reconnected');
  receive('conference:muted', { roomId: id });
  receive('conference:muted', { roomId: 'room_2' });
  await next().answer('older');
  expect(log.slice(2)).toEqual(['muted', 'caught up: older', 'muted', 'media resumed on socket_1']);
});

it('emits nothing about a membership that the app left during the claim', async () => {
  const { memberships, log, receive, next } = device();
  receive('reconnected');
  memberships.forget(id);
  await next().answer('news');
  expect(log.slice(2)).toEqual(['media closed']);
});

it('catches up within two seconds after events may have been lost, at a random time', async () => {
  const { log, receive } = device();
  vi.spyOn(Math, 'random').mockReturnValueOnce(0.5);
  receive('session:missed');
  await vi.advanceTimersByTimeAsync(999);
  expect(log).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(log).toEqual(['returned', 'claim of first']);
});

it('lets requests wait for the connection and the resumption', async () => {
  const { memberships, disconnect, reconnect, next } = device();
  let isClaimed = false;
  disconnect();
  void memberships.claimed(id).then(() => (isClaimed = true));
  reconnect('socket_2');
  await settle(() => undefined);
  expect(isClaimed).toBe(false);
  await next().answer('news');
  expect(isClaimed).toBe(true);
});

it('forgets a membership that another device has taken over, and only that', () => {
  const { memberships, log, receive } = device();
  receive('media:replaced', { scope: 'call', id });
  expect(memberships.has(id)).toBe(true);
  receive('media:replaced', { scope: 'conference', id });
  expect(memberships.has(id)).toBe(false);
  expect(log).toEqual(['media closed', `replaced: conference ${id}`]);
});

it('claims nothing after the connection was closed permanently', () => {
  const { claims, receive } = device();
  receive('state', 'closed');
  receive('reconnected');
  expect(claims).toEqual([]);
});

it('reports an end once, and again only after a new membership', () => {
  const { memberships } = device();
  expect([memberships.end(id), memberships.end(id), memberships.isOver(id)]).toEqual([true, false, true]);
  memberships.add(id, { name: 'second' });
  expect([memberships.isOver(id), memberships.end(id)]).toEqual([false, true]);
});
