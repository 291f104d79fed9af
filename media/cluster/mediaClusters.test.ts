import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RtpParameters, WireTransport } from '../../sdk/protocol/media.ts';
import { TestNodes } from '../../test/harness/nodes/TestNodes.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalMediaCluster } from './LocalMediaCluster.ts';
import type { MediaCluster } from '../MediaCluster.ts';
import type { JoinedPeer } from '../roomOperations.ts';
import {
  newPeer,
  openLocal,
  opus,
  record,
  vp8,
  type RecordedEvents,
} from '../../test/harness/media/mediaFixtures.ts';

/* Rooms on real workers of one or several nodes. These tests send no media packets; browser tests do. */

interface Setup {
  cluster: MediaCluster;
  /** The media of the node that owns the rooms. */
  local: LocalMediaCluster;
  close(): Promise<void>;
}

const setups: Record<string, () => Promise<Setup>> = {
  async 'in this process'() {
    const local = await openLocal();
    return { cluster: local, local, close: () => local.close() };
  },
  async 'on this node, one of a cluster'() {
    const nodes = await TestNodes.create();
    const { media: cluster, local } = await nodes.open('signaling', 'media');
    return { cluster, local, close: () => nodes.close() };
  },
  async 'on another node'() {
    const nodes = await TestNodes.create();
    const { local } = await nodes.open('media');
    const { media: cluster } = await nodes.open('signaling');
    return { cluster, local, close: () => nodes.close() };
  },
};

describe.each(Object.entries(setups))('a room %s', (_where, open) => {
  let setup: Setup;
  let cluster: MediaCluster;
  let seenHere: (roomId: string) => RecordedEvents;
  let seenOnOwner: (roomId: string) => RecordedEvents;
  let seen: RecordedEvents;
  let roomId: string;

  beforeAll(async () => {
    setup = await open();
    ({ cluster } = setup);
    seenHere = record(cluster);
    seenOnOwner = record(setup.local);
  });
  afterAll(() => setup?.close());

  beforeEach(async () => {
    roomId = randomUUID();
    seen = seenHere(roomId);
    await cluster.openRoom(roomId);
  });

  const join = (peerId: string, identity = peerId) => cluster.room(roomId).join(newPeer(peerId, identity));
  const speak = (peerId: string) =>
    cluster.room(roomId).produce({ peerId, source: 'microphone', rtpParameters: opus(), paused: false });

  it('creates consumers of a producer for present and later peers', async () => {
    await join('alice');
    await join('bob');
    const { producerId } = await speak('alice');
    expect(seen.consumer).toMatchObject([
      {
        to: { peerId: 'bob' },
        from: { peerId: 'alice' },
        consumer: { producerId, kind: 'audio', source: 'microphone' },
      },
    ]);
    const late = await join('carol');
    expect(late.consumers).toMatchObject([{ from: { tag: { name: 'alice' } }, consumer: { producerId } }]);
    expect(late.peers.map(({ peerId, sending }) => [peerId, sending])).toEqual([
      ['alice', ['microphone']],
      ['bob', []],
    ]);
  });

  it('delivers events unchanged', async () => {
    const onOwner = seenOnOwner(roomId);
    await join('alice');
    await join('bob');
    await cluster
      .room(roomId)
      .produce({ peerId: 'alice', source: 'camera', rtpParameters: vp8(), paused: false });
    await speak('alice');
    expect(onOwner.consumer.map(({ consumer }) => consumer.kind)).toEqual(['video', 'audio']);
    expect(seen.consumer).toEqual(plain(onOwner.consumer));
    expect(seen.peerUpdated).toEqual(plain(onOwner.peerUpdated));
    const { consumers } = await cluster.room(roomId).resume({ peerId: 'bob', identity: 'bob', tag: {} });
    expect(consumers.map(({ consumer }) => consumer)).toEqual(
      plain(onOwner.consumer.map(({ consumer }) => consumer)),
    );
    expect(cluster.rtpCapabilities).toEqual(setup.local.rtpCapabilities);
  });

  it('creates one consumer for a peer that joins while another starts to publish', async () => {
    await join('alice');
    for (let round = 0; round < 20; round++) {
      seen.consumer = [];
      const [{ producerId }, { consumers }] = await Promise.all([speak('alice'), join(`guest ${round}`)]);
      const offers = [
        ...consumers.map(({ consumer }) => consumer),
        ...seen.consumer.filter(({ to }) => to.peerId === `guest ${round}`).map(({ consumer }) => consumer),
      ];
      expect(offers.filter((consumer) => consumer.producerId === producerId)).toHaveLength(1);
    }
  });

  it('creates one producer of a track that is published twice at the same time', async () => {
    await join('alice');
    const request = { peerId: 'alice', source: 'camera', rtpParameters: vp8(), paused: false } as const;
    const sizes = [undefined, { width: 640, height: 360 }];
    const [one, other] = await Promise.all(
      sizes.map((size) => cluster.room(roomId).produce({ ...request, size })),
    );
    expect(other).toEqual(one);
    expect((await join('bob')).consumers).toMatchObject([{ consumer: one }]);
  });

  it('reports sources that start and stop', async () => {
    await join('alice');
    await join('bob');
    await speak('alice');
    expect(
      await cluster.room(roomId).setPaused({ peerId: 'alice', source: 'microphone', paused: true }),
    ).toBe(true);
    expect(await cluster.room(roomId).setPaused({ peerId: 'alice', source: 'camera', paused: true })).toBe(
      false,
    );
    await cluster.room(roomId).closeProducer({ peerId: 'alice', source: 'microphone' });
    expect(seen.peerUpdated.map(({ peer }) => peer.sending)).toEqual([['microphone'], [], []]);
    await until(() => seen.consumerClosed.length > 0, 'bob’s consumer has closed');
    expect(seen.consumerClosed).toMatchObject([
      { to: { peerId: 'bob' }, consumerId: seen.consumer[0]?.consumer.id },
    ]);
  });

  it('connects and restarts transports and resumes consumers', async () => {
    const alice = await join('alice');
    await join('bob');
    const fingerprints = [{ algorithm: 'sha-256', value: Array(32).fill('AB').join(':') }];
    const { id, iceParameters, iceCandidates } = sendTransportOf(alice);
    await cluster.room(roomId).connectTransport({
      peerId: 'alice',
      transportId: id,
      dtlsParameters: { role: 'client', fingerprints },
    });
    const again = await cluster.room(roomId).restartIce({ peerId: 'alice', transportId: id });
    expect(again.usernameFragment).not.toBe(iceParameters.usernameFragment);
    expect(iceCandidates).not.toEqual([]);
    expect(alice.recvTransport.dtlsParameters.fingerprints).not.toEqual([]);
    await speak('alice');
    await cluster
      .room(roomId)
      .resumeConsumers({ peerId: 'bob', consumerIds: [seen.consumer[0]?.consumer.id ?? ''] });
  });

  it('joins, connects and publishes in one step, and leaves nothing behind if a part fails', async () => {
    await join('bob');
    const fingerprints = [{ algorithm: 'sha-256', value: Array(32).fill('AB').join(':') }];
    const peer = { ...newPeer('whip', 'publisher', true), dtlsParameters: { fingerprints } };
    const producer = { source: 'microphone', paused: false } as const;
    const [good, bad] = [opus(), { codecs: [{ mimeType: 'audio/none', payloadType: 1, clockRate: 1 }] }];
    const present = async () => (await cluster.room(roomId).peers({})).map(({ peerId }) => peerId);
    for (const wrong of [
      { ...peer, producers: [{ ...producer, rtpParameters: bad }] },
      { ...peer, dtlsParameters: { fingerprints: [{ algorithm: 'rot13', value: 'x' }] }, producers: [] },
    ]) {
      await expect(cluster.room(roomId).joinConnected(wrong)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
      expect(await present()).toEqual(['bob']);
    }
    const joined = await cluster
      .room(roomId)
      .joinConnected({ ...peer, producers: [{ ...producer, rtpParameters: good }] });
    expect(joined.sendTransport).not.toBeNull();
    expect(await present()).toEqual(['bob', 'whip']);
    await until(() => seen.consumer.length > 0, 'bob receives it');
  });

  it('replaces a peer of the same identity, and lets the newer one resume', async () => {
    await join('phone', 'alice');
    const second = await join('tablet', 'alice');
    expect(second.replaced).toMatchObject({ peerId: 'phone' });
    await expect(speak('phone')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await join('bob');
    await speak('bob');
    const resume = (peerId: string, identity: string) =>
      cluster.room(roomId).resume({ peerId, identity, tag: { socket: 'new' } });
    expect(await resume('tablet', 'alice')).toMatchObject({ consumers: [{ from: { peerId: 'bob' } }] });
    expect((await cluster.room(roomId).peers({})).find(({ peerId }) => peerId === 'tablet')?.tag).toEqual({
      name: 'tablet',
      socket: 'new',
    });
    await expect(resume('tablet', 'bob')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(resume('phone', 'alice')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('removes a peer that leaves, and ignores leaving again', async () => {
    await join('alice');
    await join('bob');
    await cluster.room(roomId).leave({ peerId: 'alice' });
    await cluster.room(roomId).leave({ peerId: 'alice' });
    expect((await cluster.room(roomId).peers({})).map(({ peerId }) => peerId)).toEqual(['bob']);
  });

  it('rejects invalid parameters with VALIDATION_ERROR and unknown ids with NOT_FOUND', async () => {
    const alice = await join('alice');
    const invalid: RtpParameters = { codecs: [{ mimeType: 'audio/none', payloadType: 1, clockRate: 1 }] };
    await expect(
      cluster
        .room(roomId)
        .produce({ peerId: 'alice', source: 'microphone', rtpParameters: invalid, paused: false }),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const fingerprints = [{ algorithm: 'rot13', value: 'x' }];
    await expect(
      cluster.room(roomId).connectTransport({
        peerId: 'alice',
        transportId: sendTransportOf(alice).id,
        dtlsParameters: { fingerprints },
      }),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(
      cluster.room(roomId).restartIce({ peerId: 'alice', transportId: 'no such' }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(speak('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    // Consumers that no longer exist are skipped.
    await cluster.room(roomId).resumeConsumers({ peerId: 'alice', consumerIds: ['no such'] });
  });

  it('opens once when it is opened several times', async () => {
    await join('alice');
    await Promise.all(Array.from({ length: 5 }, () => cluster.openRoom(roomId)));
    expect(await cluster.room(roomId).peers({})).toMatchObject([{ peerId: 'alice' }]);
    const [before] = setup.local.roomsPerWorker;
    const other = randomUUID();
    await Promise.all(Array.from({ length: 5 }, () => cluster.openRoom(other)));
    expect(setup.local.roomsPerWorker).toEqual([(before ?? 0) + 1]);
  });

  it('ends when it is closed, and ignores closing again', async () => {
    const [before] = setup.local.roomsPerWorker;
    await join('alice');
    await cluster.closeRoom(roomId);
    await cluster.closeRoom(roomId);
    await cluster.room(roomId).leave({ peerId: 'alice' });
    await expect(join('alice')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(cluster.room(roomId).peers({})).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(setup.local.roomsPerWorker).toEqual([(before ?? 0) - 1]);
    await cluster.openRoom(roomId);
    expect(await cluster.room(roomId).peers({})).toEqual([]);
    expect(seen.roomRestarted).toEqual([]);
  });

  it('restarts empty when its worker dies, and reports its peers as lost', async () => {
    await join('alice');
    await join('bob');
    for (const pid of setup.local.workerPids) process.kill(pid, 'SIGKILL');
    await until(() => seen.roomRestarted.length > 0, 'the room restarts');
    expect(seen.roomRestarted).toMatchObject([{ roomId, lost: [{ peerId: 'alice' }, { peerId: 'bob' }] }]);
    expect(await cluster.room(roomId).peers({})).toEqual([]);
    await join('alice');
  });
});

/** The value after JSON serialisation. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const sendTransportOf = ({ sendTransport }: JoinedPeer) => sendTransport as WireTransport;
