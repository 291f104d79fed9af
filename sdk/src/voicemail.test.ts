import { expect, it, vi } from 'vitest';
import { ParleyError } from '../protocol/errors.ts';
import type { Connection } from './connection/Connection.ts';
import type { EventStream } from './connection/EventStream.ts';
import { Listeners } from './connection/Listeners.ts';
import type { Media } from './media/media.ts';
import { Platform } from './platform/Platform.ts';
import type { ParleyEvents } from './types.ts';
import { Voicemails } from './voicemail.ts';

/* A real server answers too soon for a test to abort a request. Here the test itself answers. */

/** A device that leaves a voicemail, whose file is uploaded. `leave` answers the request for it. */
function leaving(answer: () => Promise<unknown>) {
  const requests: string[] = [];
  const connection = {
    state: 'connected',
    request: (name: string) => {
      requests.push(name);
      return answer();
    },
  };
  const controller = new AbortController();
  const voicemails = new Voicemails({
    connection: connection as unknown as Connection,
    stream: { on: () => undefined } as unknown as EventStream,
    media: { upload: () => Promise.resolve({ id: 'med_1' }) } as unknown as Media,
    notifications: { seen: () => Promise.resolve() },
    events: new Listeners<ParleyEvents>(),
    platform: new Platform(),
  });
  const { signal } = controller;
  const recorded = voicemails.record({
    to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    file: new Blob(),
    signal,
  });
  const abort = () => controller.abort(new Error('given up'));
  return { recorded, requests, abort };
}

it.each([
  ['the server stores the voicemail', () => new Promise(() => undefined)],
  [
    'it waits before the next attempt',
    () => Promise.reject(new ParleyError('SERVICE_UNAVAILABLE', 'Busy.', { retryAfter: 60 })),
  ],
])('rejects with the reason of the signal while %s', async (_, answer) => {
  const { recorded, requests, abort } = leaving(answer);
  await vi.waitUntil(() => requests.length > 0);
  abort();
  await expect(recorded).rejects.toThrow('given up');
});

it('leaves no voicemail if it is aborted at the end of the upload', async () => {
  const { recorded, requests, abort } = leaving(() => Promise.resolve({}));
  abort();
  await expect(recorded).rejects.toThrow('given up');
  expect(requests).toEqual([]);
});
