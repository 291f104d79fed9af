import { afterAll, beforeAll, describe, it } from 'vitest';
import { splitRoles, twoNodes, type Cluster } from '../../harness/nodes/Cluster.ts';
import { callScenarios } from '../../scenarios/calls.ts';
import { movedCallScenarios } from '../../scenarios/movedCalls.ts';

const settings = { CALL_RING_SECONDS: '20', CALL_GRACE_SECONDS: '10' };

describe.each([
  ['two equal nodes', twoNodes],
  ['separate signalling and media nodes', splitRoles],
])('calls on %s', (_name, start) => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await start(settings);
  });
  afterAll(() => cluster?.close());

  // No two scenarios share a wallet, so they run concurrently.
  describe.concurrent('', () => {
    it.each(Object.entries({ ...callScenarios, ...movedCallScenarios }))('%s', (_name, scenario) =>
      scenario(cluster),
    );
  });
});
