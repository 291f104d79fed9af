import { afterAll, beforeAll, describe, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { conferenceScenarios } from '../../scenarios/conference.ts';
import { pastRoomScenarios } from '../../scenarios/pastRooms.ts';

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode({ CALL_GRACE_SECONDS: '10' });
});

afterAll(() => harness?.close());

// The scenarios share no wallets, so they can run at the same time.
describe.concurrent('conferences on one node', () => {
  it.each(Object.entries({ ...conferenceScenarios, ...pastRoomScenarios }))('%s', (_name, scenario) =>
    scenario(harness),
  );
});
