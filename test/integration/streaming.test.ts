import { afterAll, beforeAll, describe, it } from 'vitest';
import { oneNode, type OneNode } from '../harness/Harness.ts';
import { streamScenarios } from '../scenarios/streaming.ts';
import { closeSockets } from './support.ts';

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode({ CALL_GRACE_SECONDS: '2', STREAM_RECONNECT_SECONDS: '3' });
});

afterAll(async () => {
  closeSockets();
  await harness?.close();
});

// The wallets of one scenario are no other's: they run side by side.
describe.concurrent('streams on one node', () => {
  it.each(Object.entries(streamScenarios))('%s', (_name, scenario) => scenario(harness));
});
