import { afterAll, beforeAll, describe, it } from 'vitest';
import { twoNodes, type Cluster } from '../../harness/nodes/Cluster.ts';
import { groupScenarios } from '../../scenarios/groups.ts';
import { messageChangeScenarios } from '../../scenarios/messageChanges.ts';
import { messageScenarios } from '../../scenarios/messages.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await twoNodes();
});
afterAll(() => cluster?.close());

// No two scenarios share a wallet, so they run concurrently.
describe.concurrent('messages on two nodes', () => {
  it.each(Object.entries({ ...messageScenarios, ...messageChangeScenarios, ...groupScenarios }))(
    '%s',
    (_name, scenario) => scenario(cluster),
  );
});
