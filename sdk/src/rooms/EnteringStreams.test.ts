import { expect, it, vi } from 'vitest';
import { ParleyError } from '../../protocol/errors.ts';
import type { Connection } from '../connection/Connection.ts';
import { Listeners } from '../connection/Listeners.ts';
import type { Media } from '../media/media.ts';
import type { ParleyEvents } from '../types.ts';
import { ActiveStreams } from './ActiveStreams.ts';
import { EnteringStreams } from './EnteringStreams.ts';

/* A test cannot make a real server refuse the second of two starts, nor make media fail. Here both are fakes. */

const streamId = 'str_1';

/** A device that publishes a stream. */
async function publishing() {
  const fails: { request: Error | null; media: Error | null } = { request: null, media: null };
  const log: string[] = [];
  const settle = (error: Error | null) => (error ? Promise.reject(error) : Promise.resolve({}));
  const connection = {
    on() {},
    onReconnected() {},
    onState() {},
    request: () => settle(fails.request),
  };
  let opened = 0;
  const media = {
    isAvailable: true,
    checkHandler() {},
    inputs: { capture: () => Promise.resolve([{ stop: () => log.push('tracks stopped') }]) },
    enter: (_id: string, send: (wanted: object) => Promise<unknown>) => send({}),
    open: () => settle(fails.media).then(() => log.push(`media opened ${++opened}`)),
    close: () => log.push('media closed'),
    resumeWith() {},
  } as unknown as Media;
  const active = new ActiveStreams(connection as unknown as Connection, media, new Listeners<ParleyEvents>());
  const entering = new EnteringStreams(media, active, () => Promise.resolve());
  await entering.publish({ streamId });
  expect(log.splice(0)).toEqual(['media opened 1']);
  return { active, entering, fails, log };
}

it('goes on to publish a stream if another start of it is refused', async () => {
  const { active, entering, fails, log } = await publishing();
  fails.request = new ParleyError('RATE_LIMIT_EXCEEDED', 'Too many requests.');
  await expect(entering.publish({ streamId })).rejects.toThrow(fails.request);
  expect(active.does(streamId)).toBe('publishes');
  expect(log).toEqual(['tracks stopped']);
});

it('publishes no longer if the media of another start fails', async () => {
  const { active, entering, fails, log } = await publishing();
  fails.media = new Error('The transport has failed.');
  await expect(entering.publish({ streamId })).rejects.toThrow(fails.media);
  expect(active.does(streamId)).toBeNull();
  expect(log).toEqual(['tracks stopped', 'media closed']);
});

it('opens the media of a stream once if it is watched twice at the same moment', async () => {
  const answers: ((answer: object) => void)[] = [];
  const connection = {
    on() {},
    onReconnected() {},
    onState() {},
    request: () => new Promise((resolve) => answers.push(resolve)),
  };
  const opened: unknown[] = [];
  const media = {
    isAvailable: true,
    checkHandler() {},
    enter: (_id: string, send: (wanted: object) => Promise<unknown>) => send({}),
    open: (_scope: string, _id: string, _tracks: object[], { joined }: { joined: unknown }) => {
      opened.push(joined);
      return Promise.resolve();
    },
    close() {},
    resumeWith() {},
  } as unknown as Media;
  const active = new ActiveStreams(connection as unknown as Connection, media, new Listeners<ParleyEvents>());
  const entering = new EnteringStreams(media, active, () => Promise.resolve());
  const watched = [entering.watch(streamId, {}), entering.watch(streamId, {})];
  await vi.waitUntil(() => answers.length === 2);
  const answer = { stream: { id: streamId }, chat: [], place: 'par_1' };
  // The server joins the media of the latest request only.
  answers[0]?.(answer);
  await new Promise((resolve) => setImmediate(resolve));
  answers[1]?.({ ...answer, media: 'second' });
  await Promise.all(watched);
  expect(opened).toEqual(['second']);
});

it('opens the media of a stream once if it is started twice at the same moment', async () => {
  const { active, entering, log } = await publishing();
  await Promise.all([entering.publish({ streamId }), entering.publish({ streamId })]);
  expect(active.does(streamId)).toBe('publishes');
  expect(log.sort()).toEqual(['media opened 2', 'tracks stopped']);
});
