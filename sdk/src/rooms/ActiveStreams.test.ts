import { expect, it } from 'vitest';
import { ParleyError } from '../../protocol/errors.ts';
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

/** Creates a device without streams. The test itself answers the requests on its connection. */
function device() {
  const handlers = new Map<string, (payload: unknown) => void>();
  const answers: { answer: (answer: object) => void; fail: (error: Error) => void }[] = [];
  const requests: [name: string, payload: unknown][] = [];
  const connection = {
    state: 'connected',
    on: (name: string, handler: (payload: unknown) => void) => handlers.set(name, handler),
    onState: () => undefined,
    onReconnected: (handler: () => void) => handlers.set('reconnected', handler),
    request: (name: keyof typeof streamingRequests, payload: unknown) => {
      requests.push([name, streamingRequests[name].request.parse(payload)]);
      return new Promise((answer, fail) => {
        answers.push({ answer, fail });
      });
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
  events.on('stream:removed', ({ reason }) => emitted.push(`removed: ${reason}`));
  events.on('stream:replaced', () => emitted.push('replaced'));
  const answer = async (given: object) => {
    answers.shift()?.answer({ chat: [], place: membershipId, ...given });
    await new Promise((resolve) => setImmediate(resolve));
  };
  const refuse = async (error: ParleyError) => {
    answers.shift()?.fail(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { active, emitted, requests, receive, answer, refuse };
}

/** Creates a device that watches a stream. */
async function watching() {
  const created = device();
  const watched = created.active.watch({ streamId });
  await created.answer({ stream: stream('first') });
  await watched;
  return created;
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

it('emits events that arrive before the answer with which it begins to watch after that answer', async () => {
  const { active, emitted, receive, answer } = device();
  const watched = active.watch({ streamId });
  receive('stream:chat:message', chat('1'));
  receive('stream:removed', { streamId, reason: 'banned' });
  expect(emitted).toEqual([]);
  await answer({ stream: stream('live'), chat: [chat('1')] });
  await watched;
  expect(emitted).toEqual(['removed: banned']);
  expect(active.does(streamId)).toBeNull();
});

it('does not publish a stream that ended, or that another device took over, before the answer', async () => {
  for (const [name, payload, event] of [
    ['stream:ended', stream('over'), 'ended: over'],
    ['stream:replaced', { streamId }, 'replaced'],
  ] as const) {
    const { active, emitted, receive, answer } = device();
    const published = active.publish(streamId);
    receive(name, payload);
    await answer({});
    await published;
    expect(active.does(streamId)).toBeNull();
    expect(emitted).toEqual([event]);
  }
});

it('goes on to publish a stream that the app no longer watches', async () => {
  const { active, requests, answer } = await watching();
  const published = active.publish(streamId);
  await answer({});
  await published;
  const unwatched = active.unwatch(streamId);
  expect(active.does(streamId)).toBe('publishes');
  await unwatched;
  expect(requests.map(([name]) => name)).toEqual(['streaming.watch', 'streaming.start']);
});

it('leaves a stream again that the app left before the answer', async () => {
  const { active, requests, answer } = device();
  const watched = active.watch({ streamId });
  const left = active.unwatch(streamId);
  await answer({ stream: stream('live') });
  await answer({});
  await left;
  await answer({});
  await watched;
  expect(active.does(streamId)).toBeNull();
  expect(requests.at(-1)).toEqual(['streaming.unwatch', { streamId, place: membershipId }]);
});

it('leaves a stream whose watch request got no answer, and watches it again after that', async () => {
  const { active, requests, answer, refuse } = device();
  const lost = active.watch({ streamId });
  const refused = expect(lost).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  await refuse(new ParleyError('NETWORK_ERROR', 'The server did not answer.'));
  await refused;
  const watched = active.watch({ streamId });
  await answer({});
  await answer({ stream: stream('live') });
  await watched;
  expect(requests.map(([name]) => name)).toEqual(['streaming.watch', 'streaming.unwatch', 'streaming.watch']);
  expect(active.does(streamId)).toBe('watches');
});

it('does not watch a stream that the app leaves while an earlier watch request is undone', async () => {
  const { active, requests, answer, refuse } = device();
  const lost = active.watch({ streamId });
  const refused = expect(lost).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  await refuse(new ParleyError('NETWORK_ERROR', 'The server did not answer.'));
  await refused;
  const watched = active.watch({ streamId });
  const left = active.unwatch(streamId);
  await answer({});
  await answer({});
  await left;
  await answer({ stream: stream('live') });
  await watched;
  expect(active.does(streamId)).toBeNull();
  expect(requests.at(-1)).toEqual(['streaming.unwatch', { streamId, place: membershipId }]);
});

it('keeps what another request has entered when a watch request gets no answer', async () => {
  const { active, requests, answer, refuse } = device();
  const lost = active.watch({ streamId });
  const refused = expect(lost).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  const watched = active.watch({ streamId });
  await refuse(new ParleyError('NETWORK_ERROR', 'The server did not answer.'));
  await refused;
  await answer({ stream: stream('live') });
  await watched;
  expect(requests.map(([name]) => name)).toEqual(['streaming.watch', 'streaming.watch']);
});

it('reports why the server refused a claim', async () => {
  for (const [error, event] of [
    [new ParleyError('ACCESS_DENIED', '', { reason: 'banned' }), 'removed: banned'],
    [new ParleyError('ACCESS_DENIED', '', { reason: 'requirement_missing' }), 'removed: access_lost'],
    [new ParleyError('CONFLICT', '', { reason: 'stream_ended' }), 'ended: over'],
  ] as const) {
    const { active, emitted, receive, answer, refuse } = await watching();
    receive('reconnected');
    await refuse(error);
    // The SDK reads how a stream ended.
    await answer(stream('over'));
    expect(emitted).toEqual([event]);
    expect(active.does(streamId)).toBeNull();
  }
});

it('reports that another device publishes the stream', async () => {
  const { active, emitted, receive, answer, refuse } = device();
  const published = active.publish(streamId);
  await answer({});
  await published;
  receive('reconnected');
  await refuse(new ParleyError('CONFLICT', '', { reason: 'replaced' }));
  expect(emitted).toEqual(['replaced']);
});
