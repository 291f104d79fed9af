import { afterAll, beforeAll, describe, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/Harness.ts';
import { messageScenarios } from '../../scenarios/messages.ts';

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode();
});

afterAll(() => harness?.close());

// The wallets of one scenario are no other's: they run side by side.
describe.concurrent('messages on one node', () => {
  it.each(Object.entries(messageScenarios))('%s', (_name, scenario) => scenario(harness));
});
