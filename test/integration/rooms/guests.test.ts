import { afterAll, beforeAll, describe, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { guestScenarios } from '../../scenarios/guests.ts';

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode({ CALL_GRACE_SECONDS: '10' });
});

afterAll(() => harness?.close());

// Each scenario has its own room, so they can run at the same time.
describe.concurrent('guests on one node', () => {
  it.each(Object.entries(guestScenarios))('%s', (_name, scenario) => scenario(harness));
});
