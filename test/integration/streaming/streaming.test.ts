import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { streamScenarios } from '../../scenarios/streaming.ts';
import { closeSockets } from '../support.ts';

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode({ CALL_GRACE_SECONDS: '10', STREAM_RECONNECT_SECONDS: '15' });
});

afterAll(async () => {
  closeSockets();
  await harness?.close();
});

// The scenarios share no wallets, so they can run at the same time.
describe.concurrent('streams on one node', () => {
  it.each(Object.entries(streamScenarios))('%s', (_name, scenario) => scenario(harness));
});

it('serves stream.json to any origin without a session, but never the stream key', async () => {
  const host = await harness.client();
  const stream = await host.parley.streaming.create({ title: 'Seen from outside', isPublic: false });
  const ask = (id: string) =>
    fetch(`${harness.url()}/watch/${id}/stream.json`, { headers: { Origin: 'https://other.example' } });
  const response = await ask(stream.id);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toMatchObject({
    id: stream.id,
    title: 'Seen from outside',
    host: host.address,
    isPublic: false,
    status: 'idle',
    streamKey: '',
  });
  expect((await ask('str_000000000000000000000000')).status).toBe(404);
  // The response is cached for at most a second.
  await host.parley.streaming.end(stream.id);
  await expect
    .poll(async () => (await (await ask(stream.id)).json()) as unknown)
    .toMatchObject({ status: 'ended' });
});
