import { afterAll, beforeAll, expect, it } from 'vitest';
import { splitRoles, type Cluster, type ClusterNode } from '../../harness/nodes/Cluster.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { WhipWhepPeer } from '../../harness/clients/WhipWhepPeer.ts';
import { until } from '../../harness/until.ts';

/* The node of programs that publish and watch without the SDK fails, while their media flows through another node. */

const timeout = 120_000;
let cluster: Cluster;
let failing: ClusterNode;
let other: ClusterNode;
let alice: TestClient;
const programs: { close(): unknown }[] = [];

beforeAll(async () => {
  cluster = await splitRoles({ STREAM_RECONNECT_SECONDS: '25' });
  [failing, other] = cluster.withRole('signaling') as [ClusterNode, ClusterNode];
  alice = await cluster.clientOn(other);
}, timeout);
afterAll(async () => {
  for (const program of programs) await program.close();
  await cluster?.close();
});

function opened<Program extends { close(): unknown }>(program: Program): Program {
  programs.push(program);
  return program;
}

async function startStream() {
  const { id, streamKey } = await alice.parley.streaming.create({ title: 'x' });
  const publishTo = async ({ server }: ClusterNode) =>
    opened(await WhipWhepPeer.publish(`${server.url}/whip`, streamKey));
  return { id, publishTo };
}

const sends = (id: string) =>
  until(async () => (await alice.parley.streaming.get(id)).isSending, 'media of the publisher arrives');

it('closes the WHIP connection of a node that was killed, before its stream ends', { timeout }, async () => {
  const { id, publishTo } = await startStream();
  const publisher = await publishTo(failing);
  await sends(id);
  await failing.server.kill();
  await until(() => publisher.state !== 'connected', 'the WHIP connection closes');
  expect(await alice.parley.streaming.get(id)).toMatchObject({ status: 'live', isSending: false });
  await publishTo(other);
  await sends(id);
});
