import { expect, it, vi } from 'vitest';
import type { WireCall } from '../protocol/calls.ts';
import { ParleyError } from '../protocol/errors.ts';
import type { RequestName } from '../protocol/wire.ts';
import { Calls } from './calls.ts';
import type { Connection } from './connection/Connection.ts';
import { Listeners } from './connection/Listeners.ts';
import type { Media } from './media/media.ts';
import type { ParleyEvents } from './types.ts';

/* With a real connection, a test cannot control what happens during a request. Here the test itself answers each request. */

const to = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const call = (changes: Partial<WireCall> = {}) =>
  ({ id: 'call_1', to, type: 'audio', status: 'ringing', direction: 'outgoing', ...changes }) as WireCall;
const incoming = { direction: 'incoming' } as const;

/** A device without calls. */
function device() {
  const handlers = new Map<string, (payload: unknown) => void>();
  const requests: { name: RequestName; answer: (data: object) => void; fail: (error: Error) => void }[] = [];
  const connection = {
    state: 'connected',
    id: 'socket_1',
    ids: ['socket_1'],
    on: (name: string, handler: (payload: unknown) => void) => void handlers.set(name, handler),
    onState: (handler: (state: string) => void) => {
      const former = handlers.get('state');
      handlers.set('state', (state) => {
        former?.(state);
        handler(state as string);
      });
    },
    onReconnected: (handler: () => void) => void handlers.set('reconnected', handler),
    open: () => Promise.resolve(),
    request: (name: RequestName) =>
      new Promise((answer, fail) => {
        requests.push({ name, answer, fail });
      }),
  };
  const log: string[] = [];
  const open = new Set<string>();
  const mediaErrors: Error[] = [];
  const media = {
    isAvailable: true,
    checkHandler: () => undefined,
    inputs: { capture: () => Promise.resolve([{ stop: () => log.push('microphone closed') }]) },
    enter: (_id: unknown, send: (wanted: object) => Promise<unknown>) => send({}),
    open: (_scope: string, id: string) => {
      const error = mediaErrors.shift();
      if (error) return Promise.reject(error);
      log.push('media opened');
      open.add(id);
      return Promise.resolve();
    },
    localStream: () => null,
    localScreen: () => null,
    participants: () => [],
    isPlaybackBlocked: false,
    close: (id: string) => open.delete(id) && log.push('media closed'),
    session: (id: string) => (open.has(id) ? {} : undefined),
    resumeWith: () => undefined,
    recover: () => Promise.resolve(),
  };
  const notifications = { seen: () => Promise.resolve(), close: () => Promise.resolve() };
  const events = new Listeners<ParleyEvents>();
  for (const name of ['call:incoming', 'call:answered', 'call:ended'] as const)
    events.on(name, () => log.push(name));
  events.on('call:participant:away', ({ isAway }) => log.push(isAway ? 'other away' : 'other back'));
  const calls = new Calls({
    connection: connection as unknown as Connection,
    media: media as unknown as Media,
    notifications,
    rooms: { arrive: () => Promise.reject(new Error('no call becomes a room here')) },
    events,
  });
  const receive = (name: string, payload: unknown) => handlers.get(name)?.(payload);
  const next = (name: RequestName) => vi.waitUntil(() => takeFirst(requests, (one) => one.name === name));
  return { calls, events, log, receive, next, requests, mediaErrors };
}

function takeFirst<T>(list: T[], is: (one: T) => boolean): T | undefined {
  const at = list.findIndex(is);
  return at < 0 ? undefined : list.splice(at, 1)[0];
}

it('emits what happens to a call before the answer that names it after that answer', async () => {
  const { calls, log, receive, next } = device();
  const started = calls.start({ to, type: 'audio' });
  const { answer } = await next('calls.start');
  receive('call:answered', call({ status: 'active' }));
  expect(log).toEqual([]);
  answer(call());
  expect(await started).toMatchObject({ id: 'call_1', status: 'active' });
  expect(log).toEqual(['call:answered', 'media opened']);
});

it('does not enter a call that ended before the answer that names it', async () => {
  const { calls, log, receive, next } = device();
  const started = calls.start({ to, type: 'audio' });
  const { answer } = await next('calls.start');
  receive('call:ended', call({ status: 'ended' }));
  answer(call());
  expect(await started).toMatchObject({ status: 'ended' });
  expect(log).toEqual(['call:ended', 'microphone closed']);
});

it('does not enter a call that ended while it was answered', async () => {
  const { calls, log, receive, next } = device();
  receive('call:incoming', call(incoming));
  const answered = calls.answer('call_1');
  const { answer } = await next('calls.answer');
  receive('call:ended', call({ ...incoming, status: 'ended' }));
  answer(call({ ...incoming, status: 'active' }));
  await answered;
  expect(log).toEqual(['call:incoming', 'call:ended', 'microphone closed']);
});

it('ends a call again if the app ended it while it was answered', async () => {
  const { calls, log, receive, next } = device();
  receive('call:incoming', call(incoming));
  const answered = calls.answer('call_1');
  const { answer } = await next('calls.answer');
  const ended = calls.end('call_1');
  (await next('calls.end')).fail(new ParleyError('CONFLICT', 'The call still rings.'));
  await expect(ended).rejects.toThrow('still rings');
  answer(call({ ...incoming, status: 'active' }));
  await answered;
  await next('calls.end');
  expect(log).toEqual(['call:incoming', 'microphone closed']);
});

it('enters a call that it has answered before, if that answer was lost with its connection', async () => {
  const { calls, log, receive, next } = device();
  receive('call:incoming', call(incoming));
  const answer = async () => {
    const answered = calls.answer('call_1');
    (await next('calls.answer')).fail(
      new ParleyError('CONFLICT', 'It is not ringing.', { reason: 'call_over' }),
    );
    return { answered, rejoining: await next('calls.rejoin') };
  };
  const taken = await answer();
  taken.rejoining.fail(new ParleyError('CONFLICT', 'Another device has it.'));
  await expect(taken.answered).rejects.toMatchObject({ reason: 'call_over' });
  const own = await answer();
  own.rejoining.answer(call({ ...incoming, status: 'active' }));
  await own.answered;
  expect(log).toEqual(['call:incoming', 'microphone closed', 'media opened']);
});

it('stops ringing for a call that it has declined before, if that answer was lost', async () => {
  const { calls, receive, next } = device();
  receive('call:incoming', call(incoming));
  const decline = async (error: ParleyError) => {
    const declined = calls.decline('call_1');
    (await next('calls.decline')).fail(error);
    return { declined };
  };
  const lost = await decline(new ParleyError('NETWORK_ERROR', 'The server did not answer.'));
  await expect(lost.declined).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  expect(calls.state('call_1').get().phase).toBe('ringing');
  const again = await decline(new ParleyError('CONFLICT', 'It is not ringing.', { reason: 'call_over' }));
  (await next('calls.getActive')).answer([]);
  (await next('calls.getHistory')).answer([call({ ...incoming, status: 'declined' })]);
  await expect(again.declined).rejects.toMatchObject({ reason: 'call_over' });
  expect(calls.state('call_1').get()).toMatchObject({ phase: 'over', call: { status: 'declined' } });
});

it('rings for a call whose event was lost, also if this device has no call', async () => {
  // Devices wait for up to two seconds, so that they do not all ask at once.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const { log, receive, next } = device();
  receive('session:missed', {});
  (await next('calls.getActive')).answer([call(incoming)]);
  vi.restoreAllMocks();
  await vi.waitUntil(() => log.length > 0);
  expect(log).toEqual(['call:incoming']);
});

it('leaves a call alone that another device took over while it was rejoined', async () => {
  const { calls, log, receive, next, requests } = device();
  receive('call:answered', call({ status: 'active' }));
  const rejoined = calls.rejoin('call_1');
  const { answer } = await next('calls.rejoin');
  receive('media:replaced', { scope: 'call', id: 'call_1' });
  answer(call({ status: 'active' }));
  await rejoined;
  expect(log).toEqual(['call:answered', 'microphone closed']);
  expect(calls.state('call_1').get()).toMatchObject({ phase: 'active', isHere: false });
  expect(requests).toEqual([]);
});

it('shows a call that it enters again after a rejoin has failed, and after the client was closed', async () => {
  const { calls, events, receive, next, mediaErrors } = device();
  const state = () => calls.state('call_1').get();
  const active = call({ status: 'active' });
  const rejoin = async () => {
    const rejoined = calls.rejoin('call_1');
    (await next('calls.rejoin')).answer(active);
    await rejoined;
  };
  receive('call:answered', active);
  mediaErrors.push(new ParleyError('NETWORK_ERROR', 'The server did not answer.'));
  await expect(rejoin()).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  expect(state()).toMatchObject({ phase: 'active', isHere: false });
  await rejoin();
  expect(state()).toMatchObject({ phase: 'active', isHere: true });
  receive('state', 'closed');
  events.emit('connection:changed', { state: 'closed' });
  expect(state()).toMatchObject({ phase: 'over', isHere: false });
  const rejoined = calls.rejoin('call_1');
  (await next('calls.getActive')).answer([active]);
  (await next('calls.rejoin')).answer(active);
  await rejoined;
  expect(state()).toMatchObject({ phase: 'active', isHere: true });
});

it('opens the media of a call once if it is rejoined twice at the same moment', async () => {
  const { calls, log, receive, next } = device();
  const active = call({ status: 'active' });
  receive('call:answered', active);
  const rejoined = [calls.rejoin('call_1'), calls.rejoin('call_1')];
  const [first, second] = [await next('calls.rejoin'), await next('calls.rejoin')];
  first.answer(active);
  await new Promise((resolve) => setImmediate(resolve));
  second.answer(active);
  await Promise.all(rejoined);
  expect(log).toEqual(['call:answered', 'media opened', 'microphone closed']);
});

it('announces another incoming call while a call is being started', async () => {
  const { calls, log, receive, next } = device();
  void calls.start({ to, type: 'audio' });
  await next('calls.start');
  receive('call:incoming', call({ ...incoming, id: 'call_2' }));
  expect(log).toEqual(['call:incoming']);
});

it('keeps the media of a ringing call that the app starts again', async () => {
  const { calls, log, receive, next } = device();
  for (const event of [null, 'call:answered']) {
    const started = calls.start({ to, type: 'audio' });
    const { answer } = await next('calls.start');
    if (event) receive(event, call({ status: 'active' }));
    answer(call());
    expect(await started).toMatchObject({ status: event ? 'active' : 'ringing' });
  }
  expect(log).toEqual(['media opened', 'call:answered', 'microphone closed']);
});

it('reports that the other party is back, if it came back while this device was away', async () => {
  const { calls, log, receive, next } = device();
  const started = calls.start({ to, type: 'audio' });
  (await next('calls.start')).answer(call({ status: 'active' }));
  await started;
  const away = { callId: 'call_1', walletAddress: to, isAway: true };
  receive('call:participant:away', away);
  expect(calls.state('call_1').get()).toMatchObject({ isAway: true, trouble: 'other-away' });
  receive('reconnected', null);
  (await next('calls.rejoin')).answer(call({ status: 'active' }));
  await vi.waitUntil(() => log.includes('other back'));
  expect(calls.state('call_1').get()).toMatchObject({ isAway: false, trouble: null });
  expect(log).toEqual(['media opened', 'other away', 'other back']);
});

it.each([
  ['is in the history', [call({ ...incoming, status: 'completed' as never })]],
  ['is not among the latest', []],
])('reports that a call is over that ended while this device was away and %s', async (_, history) => {
  const { calls, log, receive, next } = device();
  receive('call:incoming', call(incoming));
  receive('reconnected', null);
  (await next('calls.getActive')).answer([]);
  (await next('calls.getHistory')).answer(history);
  await vi.waitUntil(() => calls.state('call_1').get().phase === 'over');
  expect(log).toEqual(['call:incoming', 'call:ended']);
});

it('announces a call that still rings when the user signs in again', () => {
  const { log, receive } = device();
  receive('call:incoming', call(incoming));
  receive('call:incoming', call(incoming));
  expect(log).toEqual(['call:incoming']);
  receive('state', 'closed');
  receive('call:incoming', call(incoming));
  expect(log).toEqual(['call:incoming', 'call:incoming']);
});
