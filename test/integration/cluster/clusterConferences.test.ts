import { afterAll, beforeAll, describe, it } from 'vitest';
import { twoNodes, type Cluster } from '../../harness/nodes/Cluster.ts';
import { conferenceScenarios } from '../../scenarios/conference.ts';
import { pastRoomScenarios } from '../../scenarios/pastRooms.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await twoNodes({ CALL_GRACE_SECONDS: '10' });
});

afterAll(() => cluster?.close());

// No two scenarios share a wallet, so they run concurrently.
describe.concurrent('conferences on two nodes', () => {
  it.each(Object.entries({ ...conferenceScenarios, ...pastRoomScenarios }))('%s', (_name, scenario) =>
    scenario(cluster),
  );
});
