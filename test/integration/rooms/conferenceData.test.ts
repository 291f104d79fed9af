import { afterAll, beforeAll, describe, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { conferenceDataScenarios, dataSettings } from '../../scenarios/conferenceData.ts';

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode(dataSettings);
});
afterAll(() => harness?.close());

// The scenarios share no wallets, so they can run at the same time.
describe.concurrent('data on one node', () => {
  it.each(Object.entries(conferenceDataScenarios))('%s', (_name, scenario) => scenario(harness));
});
