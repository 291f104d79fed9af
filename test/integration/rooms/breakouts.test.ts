import { afterAll, beforeAll, describe, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { breakoutScenarios } from '../../scenarios/breakouts.ts';

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode({ CALL_GRACE_SECONDS: '3' });
});

afterAll(() => harness?.close());

// The scenarios share no wallets, so they can run at the same time.
describe.concurrent('breakouts on one node', () => {
  it.each(Object.entries(breakoutScenarios))('%s', (_name, scenario) => scenario(harness));
});
