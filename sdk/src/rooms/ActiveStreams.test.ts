import { expect, it } from 'vitest';
import type { WireLiveStream } from '../../protocol/streaming.ts';
import type { Connection } from '../connection/Connection.ts';
import { Listeners } from '../connection/Listeners.ts';
import type { Media } from '../media/media.ts';
import { streamingRequests } from '../../protocol/streaming.ts';
import { ActiveStreams } from './ActiveStreams.ts';
import type { ParleyEvents } from '../types.ts';

const streamId = `str_${'1'.repeat(24)}`;
const membershipId = `par_${'1'.repeat(24)}`;
const stream = (title: string) => ({ id: streamId, title }) as WireLiveStream;
const chat = (id: string) => ({ streamId, message: { id } });

/** Creates a device that watches a stream. The test itself answers the requests on its connection. */
async function watching() {
  const handlers = new Map<string, (payload: unknown) => void>();
  const answers: ((answer: object) => void)[] = [];
  const requests: [name: string, payload: unknown][] = [];
  const connection = {
    state: 'connected',
    on: (name: string, handler: (payload: unknown) => void) => handlers.set(name, handler),
    onState: () => undefined,
    onReconnected: (handler: () => void) => handlers.set('reconnected', handler),
    request: (name: keyof typeof streamingRequests, payload: unknown) => {
      requests.push([name, streamingRequests[name].request.parse(payload)]);
      return new Promise((resolve) => answers.push(resolve));
    },
    ids: [],
  };
  const events = new Listeners<ParleyEvents>();
  const media = {
    enter: (_id: string, send: (wanted: object) => Promise<unknown>) => send({}),
    resumeWith: () => undefined,
    recover: () => Promise.resolve(),
    close: () => undefined,
  };
  const active = new ActiveStreams(connection as unknown as Connection, media as unknown as Media, events);
  const emitted: string[] = [];
  events.on('stream:updated', ({ title }) => emitted.push(`updated: ${title}`));
  events.on('stream:ended', ({ title }) => emitted.push(`ended: ${title}`));
  events.on('stream:chat:message', ({ message }) => emitted.push(`chat: ${message.id}`));
  events.on('stream:chat:deleted', ({ messageId }) => emitted.push(`deleted: ${messageId}`));
  const receive = (name: string, payload: unknown = null) => handlers.get(name)?.(payload);
  const answer = async (given: object) => {
    answers.shift()?.({ chat: [], place: membershipId, ...given });
    await new Promise((resolve) => setImmediate(resolve));
  };
  const watched = active.watch({ streamId });
  await answer({ stream: stream('first') });
  await watched;
  return { active, emitted, requests, receive, answer };
}

it('emits events that arrive during a request after its answer', async () => {
  const { emitted, receive, answer } = await watching();
  receive('reconnected');
  receive('stream:chat:message', chat('2'));
  receive('stream:chat:deleted', { streamId, messageId: '1' });
  receive('stream:updated', stream('newest'));
  await answer({ stream: stream('older'), chat: [chat('1')] });
  expect(emitted).toEqual(['chat: 1', 'updated: older', 'chat: 2', 'deleted: 1', 'updated: newest']);
  receive('stream:updated', stream('later'));
  expect(emitted.at(-1)).toBe('updated: later');
});

it('does not show a stream as live again when it ended during a request', async () => {
  const { emitted, receive, answer } = await watching();
  receive('reconnected');
  receive('stream:ended', stream('over'));
  await answer({ stream: stream('live') });
  expect(emitted).toEqual(['updated: live', 'ended: over']);
});

it('emits nothing about a stream that was left during a request', async () => {
  const { active, emitted, receive, answer } = await watching();
  receive('reconnected');
  active.forget(streamId);
  await answer({ stream: stream('left'), chat: [chat('1')] });
  expect(emitted).toEqual([]);
});

it('resumes and leaves a stream with the membership id from the server', async () => {
  const { active, requests, receive, answer } = await watching();
  receive('reconnected');
  await answer({ stream: stream('live') });
  const left = active.unwatch(streamId);
  await answer({});
  await left;
  expect(requests).toEqual([
    ['streaming.watch', { streamId }],
    ['streaming.watch', { streamId, place: membershipId }],
    ['streaming.unwatch', { streamId, place: membershipId }],
  ]);
});
