import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EmbeddedPostgres } from '../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { CleanUp } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { SyntheticPeer } from '../../test/harness/clients/SyntheticPeer.ts';
import { TestNodes } from '../../test/harness/nodes/TestNodes.ts';
import { until } from '../../test/harness/until.ts';
import { maxFar } from './pipeTree.ts';
import { record } from '../../test/harness/media/mediaFixtures.ts';

/*
 * A video is forwarded over a chain of three nodes, and the middle one drains. The publisher's node has one worker, each other node has
 * two, and each worker has one viewer.
 */

const suite = new CleanUp();
let postgres: EmbeddedPostgres;

beforeAll(async () => {
  postgres = await suite.start(await suite.temporaryFolder());
});
afterAll(() => suite.run());

/** The number of other nodes: the children of the publisher's node in the pipe tree, and one grandchild. */
const otherNodes = maxFar + 1;
const workersPerNode = 2;

it(
  'a draining relay closes its consumers only after the nodes behind it receive the video over another path',
  { timeout: 90_000 },
  async ({ onTestFinished }) => {
    const nodes = await TestNodes.create(postgres);
    nodes.mediaOptions = { consumersPerWorker: 1 };
    const peers: SyntheticPeer[] = [];
    onTestFinished(async () => {
      for (const peer of peers) peer.close();
      await nodes.close();
    });
    const signaling = await nodes.open('signaling');
    const home = await nodes.open('media');
    await nodes.waitForEachOther(signaling, home);
    const roomId = randomUUID();
    await signaling.media.openRoom(roomId);
    nodes.mediaOptions = { workers: workersPerNode, consumersPerWorker: 1 };
    const media = await Promise.all(Array.from({ length: otherNodes }, () => nodes.open('media')));
    await nodes.waitForEachOther(signaling, home, ...media);
    const join = async (name: string, identity = name) => {
      const peer = await SyntheticPeer.join(signaling.media, roomId, name, {
        identity,
        isViewer: name !== 'host',
      });
      peers.push(peer);
      return peer;
    };
    const host = await join('host');
    await host.show();
    const viewers: SyntheticPeer[] = [];
    for (let index = 0; index < 1 + otherNodes * workersPerNode; index++)
      viewers.push(await join(`viewer ${index}`));
    const framesOf = async (peer: SyntheticPeer, id = peer.consumerId('host', 'camera')) =>
      (await peer.inboundOf(id))?.frames ?? 0;
    for (const viewer of viewers) {
      await until(() => viewer.receives.length > 0, `${viewer.id} has a consumer`);
      await until(async () => (await framesOf(viewer)) > 0, `${viewer.id} receives frames`);
    }

    // The relay receives the video from the publisher's node and forwards it to its second worker and to another node.
    const relay = media.find(({ local }) => local.host.routers.some(({ pipes }) => pipes.count === 3));
    if (!relay) throw new Error('no relay');
    const behind = viewers.slice(-workersPerNode);
    const names = behind.map(({ id }) => id);
    const seen = record(signaling.media)(roomId);
    const before = await Promise.all(
      behind.map(async (viewer) => {
        const id = viewer.consumerId('host', 'camera');
        return { viewer, id, frames: await framesOf(viewer, id) };
      }),
    );

    const closedAt = new Map<string, number>();
    signaling.media.on('consumerClosed', ({ consumerId }) => closedAt.set(consumerId, performance.now()));
    // Until the host sends again, no frames arrive over the new path, as if a key frame had been lost.
    host.setViewed('camera', false);
    await relay.registry.drain();
    await until(() => seen.consumer.length === behind.length, 'new consumers');
    expect(seen.consumer.map(({ to }) => to.peerId).sort()).toEqual(names.toSorted());
    const after = (viewer: SyntheticPeer) =>
      seen.consumer.find(({ to }) => to.peerId === viewer.id)?.consumer.id ?? '';
    const hasReceived = (viewer: SyntheticPeer) => viewer.receives.some(({ id }) => id === after(viewer));
    await until(() => behind.every(hasReceived), 'the viewers use the new consumers');
    await delay(1_500);
    host.setViewed('camera', true);
    const changed = before.map(async ({ viewer, id, frames }) => {
      let former = await viewer.inboundOf(id);
      let seenAt = 0;
      await until(async () => {
        const inbound = await viewer.inboundOf(id);
        if (inbound?.frames) former = inbound;
        if (!seenAt && (await framesOf(viewer, after(viewer))) > 0) seenAt = performance.now();
        return seenAt > 0 && closedAt.has(id);
      }, `${viewer.id} receives frames over the new path, and the former consumer closes`);
      // Until then the former consumer received all packets.
      expect(closedAt.get(id)).toBeGreaterThan(seenAt);
      expect(former).toMatchObject({ lost: 0 });
      expect(former?.frames).toBeGreaterThan(frames);
    });
    await Promise.all(changed);
    expect(seen.consumerClosed.map(({ consumerId }) => consumerId).sort()).toEqual(
      before.map(({ id }) => id).sort(),
    );

    // The relay's own viewers move, and then it is empty. The viewers behind it have lost no packets.
    await until(() => seen.roomMoving.length > 0, 'its peers have to move');
    const moving = seen.roomMoving.flatMap(({ peers: own }) => own.map(({ peerId }) => peerId));
    expect(moving).toHaveLength(workersPerNode);
    for (const viewer of viewers) if (moving.includes(viewer.id)) await viewer.leave();
    await until(() => relay.local.host.size === 0, 'the relay is empty');
    for (const viewer of behind) {
      const frames = await framesOf(viewer, after(viewer));
      await until(async () => (await framesOf(viewer, after(viewer))) > frames + 2, 'frames continue');
      expect(await viewer.inboundOf(after(viewer))).toMatchObject({ lost: 0 });
    }
    expect(seen.roomRestarted).toEqual([]);
    expect(seen.consumerClosed).toHaveLength(behind.length);
  },
);
