import { expect, it } from 'vitest';
import type { LiveStream } from '../types.ts';
import { ClientSource } from './ClientSource.ts';
import type { SourceEvents } from './PlayerSource.ts';
import type { PlayerClient } from './playerTypes.ts';

/* The test itself answers each request to watch, because with a real server it cannot stop a player during one. */

const streamId = 'str_1';

function viewer() {
  const requests: string[] = [];
  const answers: { answer: () => void; fail: () => void }[] = [];
  const stream = { id: streamId, status: 'live' } as LiveStream;
  const client = {
    on: () => () => undefined,
    streaming: {
      get: () => Promise.resolve(stream),
      watch: () => {
        requests.push('watch');
        return new Promise((resolve, reject) => {
          answers.push({ answer: () => resolve(stream), fail: () => reject(new Error('refused')) });
        });
      },
      unwatch: () => {
        requests.push('unwatch');
        return Promise.resolve();
      },
    },
  } as unknown as PlayerClient;
  const events = { stream: () => undefined } as unknown as SourceEvents;
  /** Begins to watch. @returns once the request is sent */
  const open = async () => {
    const source = new ClientSource({ client, streamId, token: null, displayName: '', events });
    const opened = source.open();
    opened.catch(() => undefined);
    await Promise.resolve();
    return { source, opened, ...answers.at(-1)! };
  };
  return { requests, open };
}

it('goes on to watch if another player of the stream stops while it enters', async () => {
  const { requests, open } = viewer();
  const former = await open();
  former.source.close();
  const later = await open();
  former.answer();
  await former.opened;
  later.answer();
  await later.opened;
  expect(requests).toEqual(['watch', 'watch']);
  later.source.close();
  expect(requests.at(-1)).toBe('unwatch');
});

it('stops watching once the last of two players of the stream stops', async () => {
  const { requests, open } = viewer();
  const [one, other] = [await open(), await open()];
  one.answer();
  other.answer();
  await Promise.all([one.opened, other.opened]);
  one.source.close();
  one.source.close();
  expect(requests).toEqual(['watch', 'watch']);
  other.source.close();
  expect(requests).toEqual(['watch', 'watch', 'unwatch']);
});

it('stops watching if the player that was to go on is refused', async () => {
  const { requests, open } = viewer();
  const one = await open();
  one.answer();
  await one.opened;
  const other = await open();
  one.source.close();
  other.fail();
  await expect(other.opened).rejects.toThrow('refused');
  expect(requests).toEqual(['watch', 'watch', 'unwatch']);
});

it('watches nothing if it is stopped during the request', async () => {
  const { requests, open } = viewer();
  const { source, opened, answer } = await open();
  source.close();
  answer();
  await opened;
  expect(requests).toEqual(['watch', 'unwatch']);
});
