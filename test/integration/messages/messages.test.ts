import { afterAll, beforeAll, describe, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { groupScenarios } from '../../scenarios/groups.ts';
import { messageChangeScenarios } from '../../scenarios/messageChanges.ts';
import { messageScenarios } from '../../scenarios/messages.ts';

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode();
});

afterAll(() => harness?.close());

// No two scenarios share a wallet, so they run concurrently.
describe.concurrent('messages on one node', () => {
  it.each(Object.entries({ ...messageScenarios, ...messageChangeScenarios, ...groupScenarios }))(
    '%s',
    (_name, scenario) => scenario(harness),
  );
});
