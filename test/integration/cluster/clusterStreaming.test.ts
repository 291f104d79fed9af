import { afterAll, beforeAll, describe, it } from 'vitest';
import { twoNodes, type Cluster } from '../../harness/nodes/Cluster.ts';
import { streamScenarios } from '../../scenarios/streaming.ts';
import { closeSockets } from '../support.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await twoNodes({ CALL_GRACE_SECONDS: '10', STREAM_RECONNECT_SECONDS: '15' });
});

afterAll(async () => {
  closeSockets();
  await cluster?.close();
});

// No two scenarios share a wallet, so they run concurrently.
describe.concurrent('streams on two nodes', () => {
  it.each(Object.entries(streamScenarios))('%s', (_name, scenario) => scenario(cluster));
});
