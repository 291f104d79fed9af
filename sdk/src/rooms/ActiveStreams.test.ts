import { expect, it } from 'vitest';
import type { WireLiveStream } from '../../protocol/streaming.ts';
import type { Connection } from '../connection/Connection.ts';
import { Listeners } from '../connection/Listeners.ts';
import type { Media } from '../media/media.ts';
import { ActiveStreams } from './ActiveStreams.ts';
import type { ParleyEvents } from '../types.ts';

const streamId = 'str_1';
const stream = (title: string) => ({ id: streamId, title }) as WireLiveStream;
const said = (id: string) => ({ streamId, message: { id } });

/** A device that watches, on a connection whose answers are the test's. */
async function watching() {
  const handlers = new Map<string, (payload: unknown) => void>();
  const answers: ((answer: object) => void)[] = [];
  const connection = {
    state: 'connected',
    on: (name: string, handler: (payload: unknown) => void) => handlers.set(name, handler),
    onState: () => undefined,
    onReconnected: (handler: () => void) => handlers.set('reconnected', handler),
    request: () => new Promise((resolve) => answers.push(resolve)),
  };
  const events = new Listeners<ParleyEvents>();
  const media = { takeUpWith: () => undefined, close: () => undefined };
  const here = new ActiveStreams(connection as unknown as Connection, media as unknown as Media, events);
  const heard: string[] = [];
  events.on('stream:updated', ({ title }) => heard.push(`updated: ${title}`));
  events.on('stream:ended', ({ title }) => heard.push(`ended: ${title}`));
  events.on('stream:chat:message', ({ message }) => heard.push(`said: ${message.id}`));
  events.on('stream:chat:deleted', ({ messageId }) => heard.push(`deleted: ${messageId}`));
  const tell = (name: string, payload: unknown = null) => handlers.get(name)?.(payload);
  const answer = async (given: object) => {
    answers.shift()?.({ chat: [], membership: 'par_1', ...given });
    await new Promise((resolve) => setImmediate(resolve));
  };
  const watched = here.watch({ streamId });
  await answer({ stream: stream('first') });
  await watched;
  return { here, heard, tell, answer };
}

it('what is heard while an answer is on its way is later than the answer', async () => {
  const { heard, tell, answer } = await watching();
  tell('reconnected');
  tell('stream:chat:message', said('2'));
  tell('stream:chat:deleted', { streamId, messageId: '1' });
  tell('stream:updated', stream('newest'));
  await answer({ stream: stream('older'), chat: [said('1')] });
  expect(heard).toEqual(['said: 1', 'updated: older', 'said: 2', 'deleted: 1', 'updated: newest']);
  tell('stream:updated', stream('at once'));
  expect(heard.at(-1)).toBe('updated: at once');
});

it('a stream that ended while an answer was on its way is not live again', async () => {
  const { heard, tell, answer } = await watching();
  tell('reconnected');
  tell('stream:ended', stream('over'));
  await answer({ stream: stream('live') });
  expect(heard).toEqual(['updated: live', 'ended: over']);
});

it('a stream that was left while an answer was on its way is not told of', async () => {
  const { here, heard, tell, answer } = await watching();
  tell('reconnected');
  here.forget(streamId);
  await answer({ stream: stream('left'), chat: [said('1')] });
  expect(heard).toEqual([]);
});
