import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EmbeddedPostgres } from '../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { CleanUp } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { SyntheticPeer } from '../../test/harness/clients/SyntheticPeer.ts';
import { TestNodes, type TestNode } from '../../test/harness/nodes/TestNodes.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalRouter } from '../router/LocalRouter.ts';
import { RoomOwners } from './RoomOwners.ts';
import { record } from '../../test/harness/media/mediaFixtures.ts';

/* A publisher's video is forwarded over three nodes with two workers each and two viewers on each worker. The packets are real. */

const suite = new CleanUp();
let postgres: EmbeddedPostgres;

beforeAll(async () => {
  postgres = await suite.start(await suite.temporaryFolder());
});
afterAll(() => suite.run());

const [perWorker, workersPerNode, mediaNodes] = [2, 2, 3];

const framesOf = async (viewer: SyntheticPeer) => (await viewer.inbound('host', 'camera'))?.frames ?? 0;

async function waitForVideo(viewers: SyntheticPeer[]): Promise<void> {
  await Promise.all(
    viewers.map(async (viewer) => {
      const before = await framesOf(viewer);
      await until(async () => (await framesOf(viewer)) > before + 2, `${viewer.id} receives frames`, 20_000);
    }),
  );
}

it(
  'sends a video to each node once, forwards it between that node’s workers, and finds another path when a worker dies',
  { timeout: 90_000 },
  async ({ onTestFinished }) => {
    const nodes = await TestNodes.create(postgres);
    nodes.mediaOptions = { workers: workersPerNode, consumersPerWorker: perWorker };
    const peers: SyntheticPeer[] = [];
    onTestFinished(async () => {
      for (const peer of peers) peer.close();
      await nodes.close();
    });
    const signaling = await nodes.open('signaling');
    const media = await Promise.all(Array.from({ length: mediaNodes }, () => nodes.open('media')));
    await nodes.waitForEachOther(signaling, ...media);
    const roomId = randomUUID();
    const seen = record(signaling.media)(roomId);
    await signaling.media.openRoom(roomId);
    const join = async (name: string, isViewer: boolean) => {
      const peer = await SyntheticPeer.join(signaling.media, roomId, name, { isViewer });
      peers.push(peer);
      return peer;
    };
    await (await join('host', false)).show();
    const viewers: SyntheticPeer[] = [];
    for (let index = 0; index < mediaNodes * workersPerNode * perWorker; index++)
      viewers.push(await join(`viewer ${index}`, true));
    await waitForVideo(viewers);

    const owner = await new RoomOwners(signaling.db).find(roomId);
    const home = media.find(({ registry }) => registry.id === owner?.nodeId) as TestNode;
    const others = media.filter((node) => node !== home);
    expect(others.map(({ local }) => local.host.size)).toEqual([workersPerNode, workersPerNode]);
    const routers = await home.local.routersOf(roomId);
    // The publisher's router has one pipe to the other worker, and one to each other node.
    const security = await (routers[0] as LocalRouter).pipeSecurity();
    expect(security.map(({ srtp }) => srtp)).toEqual([false, true, true]);
    expect(await (routers[1] as LocalRouter).pipeSecurity()).toHaveLength(1);

    // The first router on another node. It forwards the video to the second worker of that node.
    const head = routers.findIndex(({ nodeId }) => nodeId !== null);
    const node = others.find(({ registry }) => registry.id === routers[head]?.nodeId) as TestNode;
    const behind = viewers.slice((head + 1) * perWorker, (head + 2) * perWorker);
    const lost = viewers.slice(head * perWorker, (head + 1) * perWorker);
    process.kill(workerWith(node, 2), 'SIGKILL');
    await until(() => seen.roomRestarted.length > 0, 'its peers are reported as lost');
    const names = (some: SyntheticPeer[]) => some.map(({ id }) => id);
    expect(seen.roomRestarted.flatMap((event) => event.lost.map(({ peerId }) => peerId))).toEqual(
      names(lost),
    );
    await waitForVideo(viewers.filter((viewer) => !lost.includes(viewer)));
    expect(seen.consumer.map(({ to }) => to.peerId)).toEqual(names(behind));
    const again = await Promise.all(lost.map(({ id }) => join(`${id} again`, true)));
    await waitForVideo(again);
  },
);

/** The process id of the worker whose router has this many pipes. */
function workerWith(node: TestNode, pipes: number): number {
  const found = node.local.host.routers.find((router) => router.pipes.count === pipes);
  return found?.worker.worker.pid ?? 0;
}
