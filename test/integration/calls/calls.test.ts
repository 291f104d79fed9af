import { afterAll, beforeAll, describe, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/Harness.ts';
import { callScenarios } from '../../scenarios/calls.ts';

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode({ CALL_RING_SECONDS: '8', CALL_GRACE_SECONDS: '4' });
});

afterAll(() => harness?.close());

// The wallets of one scenario are no other's: they run side by side.
describe.concurrent('calls on one node', () => {
  it.each(Object.entries(callScenarios))('%s', (_name, scenario) => scenario(harness));
});
