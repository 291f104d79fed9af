import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SyntheticPeer } from '../../test/harness/clients/SyntheticPeer.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';
import {
  newPeer,
  openLocal,
  opus,
  record,
  vp8,
  type RecordedEvents,
} from '../../test/harness/media/mediaFixtures.ts';

/* Viewers of a room, which are not announced to participants. */

let cluster: LocalMediaCluster;
let seen: RecordedEvents;
const room = 'room';
const peers: SyntheticPeer[] = [];

beforeEach(async () => {
  cluster = await openLocal({ workers: 2 });
  seen = record(cluster)(room);
  await cluster.openRoom(room);
});
afterEach(async () => {
  for (const peer of peers.splice(0)) peer.close();
  await cluster.close();
});

const host = async () => {
  await cluster.room(room).join(newPeer('host', 'publisher', true));
  await cluster.room(room).produce({ peerId: 'host', source: 'camera', rtpParameters: vp8(), paused: false });
};
const watch = (name: string) => cluster.room(room).join({ ...newPeer(name, name, true), isViewer: true });

describe('a peer that does not receive', () => {
  it('gets no media, however it enters and whatever changes', async () => {
    await host();
    const deaf = { ...newPeer('deaf', 'deaf', true), receives: false };
    const joined = await cluster.room(room).join(deaf);
    const hearing = await cluster.room(room).join(newPeer('hearing', 'hearing', true));
    expect([joined.consumers.length, hearing.consumers.length]).toEqual([0, 1]);
    for (const peerId of ['host', 'deaf'])
      await cluster
        .room(room)
        .produce({ peerId, source: 'microphone', rtpParameters: opus(), paused: false });
    await cluster.room(room).setPaused({ peerId: 'host', source: 'microphone', paused: true });
    await cluster.room(room).setPaused({ peerId: 'host', source: 'microphone', paused: false });
    const resumed = await cluster.room(room).resume({ peerId: 'deaf', identity: 'deaf', tag: {} });
    const again = await cluster.room(room).join({ ...deaf, peerId: 'again' });
    expect([resumed.consumers, again.consumers]).toEqual([[], []]);
    expect(new Set(seen.consumer.map(({ to }) => to.peerId))).toEqual(new Set(['host', 'hearing']));
  });
});

describe('viewers', () => {
  it('receive media and are not listed as participants', async () => {
    await host();
    const joined = await Promise.all(Array.from({ length: 40 }, (_, index) => watch(`guest ${index}`)));
    for (const one of joined) {
      expect(one.peers.map(({ peerId }) => peerId)).toEqual(['host']);
      expect(one.consumers).toHaveLength(1);
    }
    expect((await cluster.room(room).peers({})).map(({ peerId }) => peerId)).toEqual(['host']);
    const { peers: others } = await cluster
      .room(room)
      .resume({ peerId: 'host', identity: 'publisher', tag: {} });
    expect(others).toEqual([]);
    // A later producer reaches all viewers, and viewers do not count as participants for active-speaker forwarding.
    await cluster
      .room(room)
      .produce({ peerId: 'host', source: 'microphone', rtpParameters: opus(), paused: false });
    expect(seen.consumer.map(({ to }) => to.peerId).sort()).toEqual(
      joined.map((_, index) => `guest ${index}`).sort(),
    );
    expect(seen.consumer.every(({ from }) => from.peerId === 'host')).toBe(true);
    expect(seen.peerUpdated.every(({ peer }) => peer.peerId === 'host')).toBe(true);
  });

  it('cannot publish', async () => {
    await host();
    expect(await watch('guest')).toMatchObject({ sendTransport: null, recvTransport: {} });
    const sent = { source: 'microphone', rtpParameters: opus(), paused: false } as const;
    await expect(cluster.room(room).produce({ peerId: 'guest', ...sent })).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
    });
  });

  it('can resume, have one peer per identity, and can be removed', async () => {
    await host();
    await watch('guest');
    expect(await cluster.room(room).resume({ peerId: 'guest', identity: 'guest', tag: {} })).toMatchObject({
      consumers: [{ from: { peerId: 'host' } }],
    });
    const again = await cluster.room(room).join({ ...newPeer('tab', 'guest', true), isViewer: true });
    expect(again.replaced?.peerId).toBe('guest');
    expect(await cluster.room(room).removeParticipant({ identity: 'guest' })).toEqual({
      peerIds: ['tab'],
    });
    await expect(
      cluster.room(room).resume({ peerId: 'tab', identity: 'guest', tag: {} }),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    // Publishers can be removed as well.
    expect(await cluster.room(room).removeParticipant({ identity: 'publisher' })).toEqual({
      peerIds: ['host'],
    });
    expect(await cluster.room(room).peers({})).toEqual([]);
    expect(await cluster.room(room).removeParticipant({ identity: 'nobody' })).toEqual({ peerIds: [] });
    expect(await cluster.room('no room').removeParticipant({ identity: 'nobody' })).toEqual({ peerIds: [] });
  });

  it('affect layer demand through their views', async () => {
    await host();
    const { consumers } = await watch('guest');
    const [own] = consumers;
    const look = (isVisible: boolean) =>
      cluster.room(room).setViews({
        peerId: 'guest',
        views: [{ consumerId: own?.consumer.id ?? '', isVisible, width: 1280, height: 720 }],
      });
    await look(false);
    await until(() => seen.layersWanted.at(-1)?.layer === -1, 'no demand');
    await look(true);
    await until(() => seen.layersWanted.at(-1)?.layer === 1, 'demand again');
  });

  it('cost the publisher at most one key frame a second when they join at the same time', async () => {
    const publisher = await SyntheticPeer.join(cluster, room, 'host', { identity: 'publisher' });
    peers.push(publisher);
    await publisher.show();
    const before = await publisher.keyFrameRequests();
    const startedAt = performance.now();
    const guests = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        SyntheticPeer.join(cluster, room, `guest ${index}`, { isViewer: true }),
      ),
    );
    peers.push(...guests);
    await Promise.all(
      guests.map((guest) =>
        until(
          async () => (await guest.inbound('host', 'camera'))?.packets,
          `${guest.id} receives packets`,
          40_000,
        ),
      ),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    const requests = (await publisher.keyFrameRequests()) - before;
    expect(requests).toBeGreaterThan(0);
    expect(requests).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
    expect(requests).toBeLessThan(guests.length / 2);
  });
});
