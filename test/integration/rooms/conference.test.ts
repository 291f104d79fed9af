import { afterAll, beforeAll, describe, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/Harness.ts';
import { conferenceScenarios } from '../../scenarios/conference.ts';

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode({ CALL_GRACE_SECONDS: '4' });
});

afterAll(() => harness?.close());

// The wallets of one scenario are no other's: they run side by side.
describe.concurrent('conferences on one node', () => {
  it.each(Object.entries(conferenceScenarios))('%s', (_name, scenario) => scenario(harness));
});
