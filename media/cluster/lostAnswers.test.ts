import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EmbeddedPostgres } from '../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { CleanUp } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { SyntheticPeer, waitUntilUnchanged } from '../../test/harness/clients/SyntheticPeer.ts';
import { loseAnswer, loseRequest } from '../../test/harness/nodes/loseAnswer.ts';
import { TestNodes, type TestNode } from '../../test/harness/nodes/TestNodes.ts';
import { until } from '../../test/harness/until.ts';
import { newPeer, opus } from '../../test/harness/media/mediaFixtures.ts';

/* The answer to a request between two nodes is lost after it was executed. Two viewers fill a worker, and the packets are real. */

const suite = new CleanUp();
let postgres: EmbeddedPostgres;
let signaling: TestNode;
/** The node that lends routers to the room. It has two workers, the room's own node has one. */
let lender: TestNode;
let roomId: string;
let host: SyntheticPeer;
let viewers: SyntheticPeer[];

beforeAll(async () => {
  postgres = await suite.start(await suite.temporaryFolder());
});
afterAll(() => suite.run());

beforeEach(async () => {
  const nodes = await TestNodes.create(postgres);
  nodes.mediaOptions = { consumersPerWorker: 2 };
  signaling = await nodes.open('signaling');
  const home = await nodes.open('media');
  await nodes.waitForEachOther(signaling, home);
  roomId = randomUUID();
  await signaling.media.openRoom(roomId);
  nodes.mediaOptions = { workers: 2, consumersPerWorker: 2 };
  lender = await nodes.open('media');
  await nodes.waitForEachOther(signaling, home, lender);
  viewers = [];
  host = await join('host', false);
  await host.show();
  // They fill the worker of the room's own node.
  for (const name of ['ann', 'ben']) await watch(name);
  return async () => {
    for (const peer of [host, ...viewers]) peer.close();
    await nodes.close();
  };
});

const join = (name: string, isViewer: boolean) =>
  SyntheticPeer.join(signaling.media, roomId, name, { isViewer });

async function watch(name: string): Promise<SyntheticPeer> {
  const viewer = await join(name, true);
  viewers.push(viewer);
  return viewer;
}

const framesOf = async (viewer: SyntheticPeer) => (await viewer.inbound('host', 'camera'))?.frames ?? 0;

async function waitForFrames(viewer: SyntheticPeer): Promise<void> {
  const before = await framesOf(viewer);
  await until(async () => (await framesOf(viewer)) > before + 2, `${viewer.id} receives frames`, 20_000);
}

const taken = () => lender.local.host.routers.map(({ pipes }) => pipes.taken);

describe('a lost answer between two nodes', { timeout: 60_000 }, () => {
  it('does not keep a video from another node', async () => {
    const lost = loseAnswer('part.takeFromPipe');
    const cem = await watch('cem');
    await lost;
    await waitForFrames(cem);
    expect(taken()).toEqual([1]);
  });

  it('leaves a video paused or not as it is by then', async () => {
    await signaling.media.room(roomId).setPaused({ peerId: 'host', source: 'camera', paused: true });
    const lost = loseAnswer('part.takeFromPipe');
    const cem = await watch('cem');
    await lost;
    await signaling.media.room(roomId).setPaused({ peerId: 'host', source: 'camera', paused: false });
    await waitForFrames(cem);
  });

  it('leaves one copy of a video that comes over another path then', async () => {
    const relayed = [await watch('cem'), await watch('dora')];
    await Promise.all(relayed.map(waitForFrames));
    const lost = loseAnswer('part.takeFromPipe');
    const ed = await watch('ed');
    await lost;
    await waitForFrames(ed);
    await until(() => taken().join() === '1,1', 'each router has one copy');
    // The first router of that node closes. It is no longer needed for the second.
    for (const viewer of relayed) await viewer.leave();
    await until(() => lender.local.host.size === 1, 'the first router is closed');
    await waitForFrames(ed);
  });

  it('does not keep a peer on another node from publishing', async () => {
    const room = signaling.media.room(roomId);
    const names = ['cem', 'dora'];
    for (const name of names) await join(name, false).then((peer) => viewers.push(peer));
    const request = { peerId: 'cem', source: 'microphone', rtpParameters: opus(), paused: false } as const;
    const lost = loseAnswer('part.produce');
    await expect(room.produce(request)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await lost;
    const { producerId } = await room.produce(request);
    expect(await room.produce(request)).toEqual({ producerId });
    const [ann] = viewers;
    await until(() => ann?.receives.some(({ from }) => from === 'cem'), 'ann receives it');
  });

  it('does not leave a removed peer where it was, if the request was lost', async () => {
    const cem = await watch('cem');
    await waitForFrames(cem);
    expect(lender.local.host.size).toBe(1);
    // Another peer keeps the router open.
    await watch('dora').then(waitForFrames);
    expect(lender.local.host.size).toBe(1);
    const lost = loseRequest('part.removePeer');
    await signaling.media.room(roomId).removeParticipant({ identity: 'cem', revision: 1 });
    await lost;
    await waitUntilUnchanged(() => framesOf(cem), 'no more frames');
  });

  it('about a subscriber does not fail the request to publish', async () => {
    const room = signaling.media.room(roomId);
    // It receives nothing, so that its worker has room for the viewer.
    await room.join({ ...newPeer('cem', 'cem', true), receives: false });
    const dora = await watch('dora');
    expect(lender.local.host.size).toBe(1);
    const request = { peerId: 'cem', source: 'microphone', rtpParameters: opus(), paused: false } as const;
    const lost = loseAnswer('part.consume');
    await room.produce(request);
    await lost;
    await until(() => dora.receives.some(({ from }) => from === 'cem'), 'dora receives it');
  });
});
