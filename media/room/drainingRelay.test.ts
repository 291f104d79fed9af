import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EmbeddedPostgres } from '../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { CleanUp } from '../../test/harness/embeddedPostgres/support.ts';
import { SyntheticPeer } from '../../test/harness/SyntheticPeer.ts';
import { TestNodes } from '../../test/harness/TestNodes.ts';
import { until } from '../../test/harness/until.ts';
import { maxChildren } from './pipeTree.ts';
import { record } from '../../test/harness/mediaWorld.ts';

/* A picture on its way over three nodes, of which the one in the middle leaves: one worker at home, two on each other, and one viewer on each. */

const suite = new CleanUp();
let postgres: EmbeddedPostgres;

beforeAll(async () => {
  postgres = await suite.start(await suite.temporaryFolder());
});
afterAll(() => suite.run());

/** Those the publisher's node sends to, and one that hangs below one of these. */
const otherNodes = maxChildren + 1;
const workersPerNode = 2;

it(
  'a node in the middle leaves when those behind it get everything another way, and they miss nothing',
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
    await nodes.meet(signaling, home);
    const roomId = randomUUID();
    await signaling.media.openRoom(roomId);
    nodes.mediaOptions = { workers: workersPerNode, consumersPerWorker: 1 };
    const media = await Promise.all(Array.from({ length: otherNodes }, () => nodes.open('media')));
    await nodes.meet(signaling, home, ...media);
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
      await until(() => viewer.receives.length > 0, `${viewer.id} is offered it`);
      await until(async () => (await framesOf(viewer)) > 0, `${viewer.id} sees`);
    }

    // One of those that take it from the publisher's node passes it on to another node, beside its own second worker.
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
    // For about as long as a key frame takes that is lost once, nothing comes by the other way.
    host.setSeen('camera', false);
    await relay.registry.drain();
    await until(() => seen.consumer.length === behind.length, 'it is offered another way');
    expect(seen.consumer.map(({ to }) => to.peerId).sort()).toEqual(names.toSorted());
    const after = (viewer: SyntheticPeer) =>
      seen.consumer.find(({ to }) => to.peerId === viewer.id)?.consumer.id ?? '';
    const hasTaken = (viewer: SyntheticPeer) => viewer.receives.some(({ id }) => id === after(viewer));
    await until(() => behind.every(hasTaken), 'they have taken it');
    await delay(1_500);
    host.setSeen('camera', true);
    const changed = before.map(async ({ viewer, id, frames }) => {
      let former = await viewer.inboundOf(id);
      let seenAt = 0;
      await until(async () => {
        const inbound = await viewer.inboundOf(id);
        if (inbound?.frames) former = inbound;
        if (!seenAt && (await framesOf(viewer, after(viewer))) > 0) seenAt = performance.now();
        return seenAt > 0 && closedAt.has(id);
      }, `${viewer.id} sees it the other way, and the former ends`);
      // Until then it came as before, with all its packets.
      expect(closedAt.get(id)).toBeGreaterThan(seenAt);
      expect(former).toMatchObject({ lost: 0 });
      expect(former?.frames).toBeGreaterThan(frames);
    });
    await Promise.all(changed);
    expect(seen.consumerClosed.map(({ consumerId }) => consumerId).sort()).toEqual(
      before.map(({ id }) => id).sort(),
    );

    // Who was on it moves by himself, and it is empty then. Those behind it have missed nothing.
    await until(() => seen.roomMoving.length > 0, 'who is on it is to move');
    const moving = seen.roomMoving.flatMap(({ peers: own }) => own.map(({ peerId }) => peerId));
    expect(moving).toHaveLength(workersPerNode);
    for (const viewer of viewers) if (moving.includes(viewer.id)) await viewer.leave();
    await until(() => relay.local.host.size === 0, 'it is empty');
    for (const viewer of behind) {
      const frames = await framesOf(viewer, after(viewer));
      await until(async () => (await framesOf(viewer, after(viewer))) > frames + 2, 'it goes on');
      expect(await viewer.inboundOf(after(viewer))).toMatchObject({ lost: 0 });
    }
    expect(seen.roomRestarted).toEqual([]);
    expect(seen.consumerClosed).toHaveLength(behind.length);
  },
);
