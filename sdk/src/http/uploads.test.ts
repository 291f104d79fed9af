import { afterEach, expect, it, vi } from 'vitest';
import { ParleyError } from '../../protocol/errors.ts';
import { Platform } from '../platform/Platform.ts';
import type { HttpClient } from './HttpClient.ts';
import { Uploads } from './uploads.ts';

/* A test cannot keep a real server busy for the length of a pause. This fake one refuses each chunk. */

afterEach(() => vi.useRealTimers());

it('ends an upload at once when it is aborted while it waits for a busy server', async () => {
  vi.useFakeTimers();
  const requests: string[] = [];
  const http = {
    request: (method: string) => {
      requests.push(method);
      const busy = new ParleyError('SERVICE_UNAVAILABLE', 'The server is busy.', { retryAfter: 60 });
      return method === 'PATCH' ? Promise.reject(busy) : Promise.resolve({ id: 'med_1', offset: 0 });
    },
  };
  const uploads = new Uploads(http as unknown as HttpClient, new Platform());
  const controller = new AbortController();
  const ended = vi.fn<(error: unknown) => void>();
  uploads.upload(new Blob(['x']), { signal: controller.signal }).catch(ended);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requests).toEqual(['POST', 'PATCH', 'GET']);
  controller.abort(new Error('The user has cancelled it.'));
  await vi.advanceTimersByTimeAsync(0);
  expect(ended).toHaveBeenCalledWith(new Error('The user has cancelled it.'));
  expect(vi.getTimerCount()).toBe(0);
  // The server drops what it has.
  expect(requests.at(-1)).toBe('DELETE');
});
