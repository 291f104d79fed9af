import { afterAll, beforeAll, expect, it } from 'vitest';
import { splitRoles, type Cluster, type ClusterNode } from '../../harness/nodes/Cluster.ts';
import { FfmpegPublisher } from '../../harness/clients/FfmpegPublisher.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { WhipWhepPeer } from '../../harness/clients/WhipWhepPeer.ts';
import { freePorts } from '../../harness/nodes/ports.ts';
import { until } from '../../harness/until.ts';

/* The node of programs that publish and watch without the SDK fails, while their media flows through another node. */

const timeout = 120_000;
let cluster: Cluster;
let failing: ClusterNode;
let other: ClusterNode;
let rtmpPort: number;
let alice: TestClient;
const programs: { close(): unknown }[] = [];

beforeAll(async () => {
  cluster = await splitRoles({ STREAM_RECONNECT_SECONDS: '25' });
  [failing, other] = cluster.withRole('signaling') as [ClusterNode, ClusterNode];
  rtmpPort = await freePorts();
  await failing.server.stop();
  await failing.server.start({ RTMP_PORT: String(rtmpPort) });
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
  return { id, streamKey, publishTo };
}

const sends = (id: string) =>
  until(async () => (await alice.parley.streaming.get(id)).isSending, 'media of the publisher arrives');

it('closes RTMP and WHEP connections of a node that was frozen and declared dead', { timeout }, async () => {
  const { id, streamKey } = await startStream();
  const publisher = opened(
    new FfmpegPublisher(`rtmp://127.0.0.1:${rtmpPort}/live/${streamKey}`, { size: '320x180', rate: 15 }),
  );
  await sends(id);
  const { token } = await alice.parley.streaming.getViewerToken(id);
  const player = opened(await WhipWhepPeer.watch(`${failing.server.url}/whep/${id}`, token));
  await until(() => player.receivesVideo(), 'video');
  failing.server.pause();
  try {
    await until(async () => !(await alice.parley.streaming.get(id)).isSending, 'its death is detected');
  } finally {
    failing.server.resume();
  }
  await failing.server.waitForLog('rejoined under another id');
  await until(() => !publisher.isRunning, 'the RTMP connection closes');
  await until(() => player.state !== 'connected', 'the WHEP connection closes');
  expect(await alice.parley.streaming.get(id)).toMatchObject({ status: 'live' });
  opened(new FfmpegPublisher(`rtmp://127.0.0.1:${rtmpPort}/live/${streamKey}`));
  await sends(id);
});

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
