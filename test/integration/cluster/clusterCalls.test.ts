import { afterAll, beforeAll, describe, it } from 'vitest';
import { splitRoles, twoNodes, type Cluster } from '../../harness/Cluster.ts';
import { callScenarios } from '../../scenarios/calls.ts';

const settings = { CALL_RING_SECONDS: '8', CALL_GRACE_SECONDS: '4' };

describe.each([
  ['two equal nodes', twoNodes],
  ['nodes for the clients and nodes for their media', splitRoles],
])('calls on %s', (_what, start) => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await start(settings);
  });
  afterAll(() => cluster?.close());

  // The wallets of one scenario are no other's: they run side by side.
  describe.concurrent('', () => {
    it.each(Object.entries(callScenarios))('%s', (_name, scenario) => scenario(cluster));
  });
});
