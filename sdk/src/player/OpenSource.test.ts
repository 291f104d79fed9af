import { expect, it, onTestFinished, vi } from 'vitest';
import { OpenSource } from './OpenSource.ts';
import type { SourceEvents } from './PlayerSource.ts';

/* The test itself answers each request, because with a real server it cannot choose when an answer arrives. */

const live = { id: 'str_1', status: 'live', isPublic: true, gate: null };

/** A viewer without a wallet, who watches. `next` waits for the next request and answers it. */
async function watching() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const requests: ((response: Response) => void)[] = [];
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => requests.push(resolve)));
  onTestFinished(() => void vi.unstubAllGlobals());
  const reported: string[] = [];
  const events = { stream: ({ status }: { status: string }) => reported.push(status) };
  const source = new OpenSource({
    baseUrl: 'https://calls.example.org',
    streamId: live.id,
    token: null,
    events: events as unknown as SourceEvents,
    isFinal: () => true,
  });
  onTestFinished(() => source.close());
  const next = async (response: Response) => {
    await vi.waitUntil(() => requests.length > 0);
    requests.shift()?.(response);
    await vi.advanceTimersByTimeAsync(0);
  };
  const opened = source.open();
  await next(Response.json(live));
  await opened;
  return { source, requests, reported, next };
}

it('reads the stream again only after the answer has arrived', async () => {
  const { requests, reported, next } = await watching();
  await vi.advanceTimersByTimeAsync(9_000);
  expect(requests).toHaveLength(1);
  await next(Response.json({ ...live, status: 'idle' }));
  await vi.advanceTimersByTimeAsync(3_000);
  expect(requests).toHaveLength(1);
  expect(reported).toEqual(['live', 'idle']);
});

it('reports nothing once it is closed', async () => {
  const { source, reported, next } = await watching();
  await vi.advanceTimersByTimeAsync(3_000);
  source.close();
  await next(Response.json(live));
  expect(reported).toEqual(['live']);
});

it('reports that a stream has ended which the server no longer knows, and not that it cannot be reached', async () => {
  const { source, reported, next } = await watching();
  await vi.advanceTimersByTimeAsync(3_000);
  await next(Response.json({ error: 'not_found' }, { status: 404 }));
  expect(source.isConnected).toBe(true);
  expect(reported).toEqual(['live', 'ended']);
});
