import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RtpParameters, WireTransport } from '../../sdk/protocol/media.ts';
import { TestNodes } from '../../test/harness/TestNodes.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalMediaCluster } from './LocalMediaCluster.ts';
import type { JoinedPeer, MediaCluster } from '../MediaCluster.ts';
import { newPeer, openLocal, opus, record, vp8, type Seen } from '../../test/harness/mediaWorld.ts';

/* Rooms on real workers, wherever they are. No packet flows here: that is what the browser tests are for. */

interface Place {
  cluster: MediaCluster;
  /** What the rooms are really on. */
  local: LocalMediaCluster;
  close(): Promise<void>;
}

const places: Record<string, () => Promise<Place>> = {
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

describe.each(Object.entries(places))('a room %s', (_where, open) => {
  let place: Place;
  let cluster: MediaCluster;
  let told: (roomId: string) => Seen;
  let toldAtHome: (roomId: string) => Seen;
  let seen: Seen;
  let roomId: string;

  beforeAll(async () => {
    place = await open();
    ({ cluster } = place);
    told = record(cluster);
    toldAtHome = record(place.local);
  });
  afterAll(() => place?.close());

  beforeEach(async () => {
    roomId = randomUUID();
    seen = told(roomId);
    await cluster.openRoom(roomId);
  });

  const join = (peerId: string, identity = peerId) => cluster.join(roomId, newPeer(peerId, identity));
  const speak = (peerId: string) =>
    cluster.produce(roomId, peerId, { source: 'microphone', rtpParameters: opus(), paused: false });

  it('offers what one sends to who is there, and to who comes later', async () => {
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

  it('tells all that its media tells, nothing lost on the way', async () => {
    const atHome = toldAtHome(roomId);
    await join('alice');
    await join('bob');
    await cluster.produce(roomId, 'alice', { source: 'camera', rtpParameters: vp8(), paused: false });
    await speak('alice');
    expect(atHome.consumer.map(({ consumer }) => consumer.kind)).toEqual(['video', 'audio']);
    expect(seen.consumer).toEqual(plain(atHome.consumer));
    expect(seen.peerUpdated).toEqual(plain(atHome.peerUpdated));
    const { consumers } = await cluster.resume(roomId, { peerId: 'bob', identity: 'bob', tag: {} });
    expect(consumers.map(({ consumer }) => consumer)).toEqual(
      plain(atHome.consumer.map(({ consumer }) => consumer)),
    );
    expect(cluster.rtpCapabilities).toEqual(place.local.rtpCapabilities);
  });

  it('offers nothing twice, when one joins while another begins to send', async () => {
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

  it('tells who sends what, and who stops', async () => {
    await join('alice');
    await join('bob');
    await speak('alice');
    expect(await cluster.setPaused(roomId, 'alice', 'microphone', true)).toBe(true);
    expect(await cluster.setPaused(roomId, 'alice', 'camera', true)).toBe(false);
    await cluster.closeProducer(roomId, 'alice', 'microphone');
    expect(seen.peerUpdated.map(({ peer }) => peer.sending)).toEqual([['microphone'], [], []]);
    await until(() => seen.consumerClosed.length > 0, 'the end of what bob received');
    expect(seen.consumerClosed).toMatchObject([
      { to: { peerId: 'bob' }, consumerId: seen.consumer[0]?.consumer.id },
    ]);
  });

  it('lets a device answer, begin its transport again, and hear', async () => {
    const alice = await join('alice');
    await join('bob');
    const fingerprints = [{ algorithm: 'sha-256', value: Array(32).fill('AB').join(':') }];
    const { id, iceParameters, iceCandidates } = sending(alice);
    await cluster.connectTransport(roomId, 'alice', id, { role: 'client', fingerprints });
    const again = await cluster.restartIce(roomId, 'alice', id);
    expect(again.usernameFragment).not.toBe(iceParameters.usernameFragment);
    expect(iceCandidates).not.toEqual([]);
    expect(alice.recvTransport.dtlsParameters.fingerprints).not.toEqual([]);
    await speak('alice');
    await cluster.resumeConsumers(roomId, 'bob', [seen.consumer[0]?.consumer.id ?? '']);
  });

  it('gives a seat to the latest who takes it, and keeps it for who comes back', async () => {
    await join('phone', 'alice');
    const second = await join('tablet', 'alice');
    expect(second.replaced).toMatchObject({ peerId: 'phone' });
    await expect(speak('phone')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await join('bob');
    await speak('bob');
    const resume = (peerId: string, identity: string) =>
      cluster.resume(roomId, { peerId, identity, tag: { socket: 'new' } });
    expect(await resume('tablet', 'alice')).toMatchObject({ consumers: [{ from: { peerId: 'bob' } }] });
    expect((await cluster.peers(roomId)).find(({ peerId }) => peerId === 'tablet')?.tag).toEqual({
      name: 'tablet',
      socket: 'new',
    });
    await expect(resume('tablet', 'bob')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(resume('phone', 'alice')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is without who has left, and leaving again is nothing', async () => {
    await join('alice');
    await join('bob');
    await cluster.leave(roomId, 'alice');
    await cluster.leave(roomId, 'alice');
    expect((await cluster.peers(roomId)).map(({ peerId }) => peerId)).toEqual(['bob']);
  });

  it('refuses nonsense as the sender’s fault', async () => {
    const alice = await join('alice');
    const nonsense: RtpParameters = { codecs: [{ mimeType: 'audio/none', payloadType: 1, clockRate: 1 }] };
    await expect(
      cluster.produce(roomId, 'alice', { source: 'microphone', rtpParameters: nonsense, paused: false }),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const fingerprints = [{ algorithm: 'rot13', value: 'x' }];
    await expect(
      cluster.connectTransport(roomId, 'alice', sending(alice).id, { fingerprints }),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(cluster.restartIce(roomId, 'alice', 'no such')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(speak('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    // What is not there any more is passed over.
    await cluster.resumeConsumers(roomId, 'alice', ['no such']);
  });

  it('is one, however many open it', async () => {
    await join('alice');
    await Promise.all(Array.from({ length: 5 }, () => cluster.openRoom(roomId)));
    expect(await cluster.peers(roomId)).toMatchObject([{ peerId: 'alice' }]);
    const [before] = place.local.roomsPerWorker;
    const other = randomUUID();
    await Promise.all(Array.from({ length: 5 }, () => cluster.openRoom(other)));
    expect(place.local.roomsPerWorker).toEqual([(before ?? 0) + 1]);
  });

  it('is gone once closed, and closing it again is nothing', async () => {
    const [before] = place.local.roomsPerWorker;
    await join('alice');
    await cluster.closeRoom(roomId);
    await cluster.closeRoom(roomId);
    await cluster.leave(roomId, 'alice');
    await expect(join('alice')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(cluster.peers(roomId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(place.local.roomsPerWorker).toEqual([(before ?? 0) - 1]);
    await cluster.openRoom(roomId);
    expect(await cluster.peers(roomId)).toEqual([]);
    expect(seen.roomRestarted).toEqual([]);
  });

  it('whose worker dies is made anew, empty, and calls back who was in it', async () => {
    await join('alice');
    await join('bob');
    for (const pid of place.local.workerPids) process.kill(pid, 'SIGKILL');
    await until(() => seen.roomRestarted.length > 0, 'the room made anew');
    expect(seen.roomRestarted).toMatchObject([{ roomId, lost: [{ peerId: 'alice' }, { peerId: 'bob' }] }]);
    expect(await cluster.peers(roomId)).toEqual([]);
    await join('alice');
  });
});

/** As it goes over a wire. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
/** Of who may send. */
const sending = ({ sendTransport }: JoinedPeer) => sendTransport as WireTransport;
