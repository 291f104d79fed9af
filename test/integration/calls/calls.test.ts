import { afterAll, beforeAll, describe, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { callScenarios } from '../../scenarios/calls.ts';
import { movedCallScenarios } from '../../scenarios/movedCalls.ts';

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode({ CALL_RING_SECONDS: '20', CALL_GRACE_SECONDS: '10' });
});

afterAll(() => harness?.close());

// No two scenarios share a wallet, so they run concurrently.
describe.concurrent('calls on one node', () => {
  it.each(Object.entries({ ...callScenarios, ...movedCallScenarios }))('%s', (_name, scenario) =>
    scenario(harness),
  );
});
