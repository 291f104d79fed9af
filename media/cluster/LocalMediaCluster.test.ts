import { createServer } from 'node:net';
import { once } from 'node:events';
import * as mediasoup from 'mediasoup';
import type { types } from 'mediasoup';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { killProcess } from '../../test/harness/nodes/killProcess.ts';
import { freePorts } from '../../test/harness/nodes/ports.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalMediaCluster } from './LocalMediaCluster.ts';
import {
  newPeer,
  openLocal,
  opus,
  record,
  type RecordedEvents,
} from '../../test/harness/media/mediaFixtures.ts';

/* Workers of one node. Rooms are tested in mediaClusters.test.ts. */

const roomId = 'room';
let cluster: LocalMediaCluster;
let seen: RecordedEvents;

beforeEach(async () => {
  cluster = await openLocal({ workers: 2 });
  seen = record(cluster)(roomId);
  await cluster.openRoom(roomId);
});

afterEach(() => cluster.close());

const join = (peerId: string) => cluster.room(roomId).join(newPeer(peerId));

describe('workers', () => {
  it('get equal numbers of rooms', async () => {
    for (let index = 0; index < 5; index++) await cluster.openRoom(`room ${index}`);
    expect(cluster.roomsPerWorker).toEqual([3, 3]);
  });

  it('are replaced when they die, and only their rooms restart', async () => {
    await cluster.openRoom('other');
    await join('alice');
    const [first, second] = cluster.workerPids;
    killProcess(first);
    await until(() => seen.roomRestarted.length > 0, 'the room restarts');
    expect(seen.roomRestarted).toMatchObject([{ roomId, lost: [{ peerId: 'alice' }] }]);
    await join('alice');
    await until(() => cluster.workerPids.length === 2, 'two workers again');
    expect(cluster.workerPids).toContain(second);
    expect(cluster.workerPids).not.toContain(first);
  });

  it('release all transports of a room that is closed with peers in it', async () => {
    let transports = 0;
    const onWorker = ({ observer }: types.Worker) =>
      void observer.on('newwebrtcserver', (server) => {
        server.observer.on('webrtctransporthandled', () => transports++);
        server.observer.on('webrtctransportunhandled', () => transports--);
      });
    mediasoup.observer.on('newworker', onWorker);
    const own = await openLocal();
    mediasoup.observer.off('newworker', onWorker);
    try {
      await own.openRoom(roomId);
      for (const peerId of ['alice', 'bob']) await own.room(roomId).join(newPeer(peerId));
      expect(transports).toBe(4);
      // One more device is about to join.
      const joining = own.room(roomId).join(newPeer('cem'));
      joining.catch(() => undefined);
      for (let turn = 0; turn < 30; turn++) await Promise.resolve();
      await own.closeRoom(roomId);
      await expect(joining).rejects.toBeDefined();
      expect(transports).toBe(0);
    } finally {
      await own.close();
    }
  });

  it('are all replaced when all of them die, and the room then restarts', async () => {
    await join('alice');
    for (const pid of cluster.workerPids) process.kill(pid, 'SIGKILL');
    await until(() => seen.roomRestarted.length > 0, 'the room restarts');
    await join('alice');
  });

  it('that die fail no request under way with an internal error', async () => {
    await join('alice');
    const room = cluster.room(roomId);
    await room.produce({ peerId: 'alice', source: 'microphone', rtpParameters: opus(), paused: false });
    for (const pid of cluster.workerPids) killProcess(pid);
    const muting = room.setPaused({ peerId: 'alice', source: 'microphone', paused: true });
    const opening = cluster.openRoom('other');
    await expect(muting).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await opening;
    await cluster.room('other').join(newPeer('bob'));
  });

  it.each([
    [
      'announce every configured address',
      { announcedAddresses: ['192.168.1.5', '203.0.113.7'] },
      ['192.168.1.5', '203.0.113.7'],
    ],
    ['listen on a further address', { furtherIp: () => '127.0.0.3' }, ['127.0.0.1', '127.0.0.3']],
  ])('%s', async (_, options, addresses) => {
    const announced = await openLocal({ ...options, webRtcPorts: await freePorts() });
    await announced.openRoom(roomId);
    const { sendTransport } = await announced.room(roomId).join(newPeer('alice'));
    expect(
      sendTransport?.iceCandidates.map(({ address, protocol }) => `${protocol} ${address}`).sort(),
    ).toEqual(['tcp', 'udp'].flatMap((protocol) => addresses.map((address) => `${protocol} ${address}`)));
    await announced.close();
  });

  it('report which port is in use', async () => {
    const port = await freePorts();
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    await expect(openLocal({ webRtcPorts: port })).rejects.toThrow(`Port ${port} (UDP or TCP) is in use`);
    other.close();
  });
});

describe('a device that leaves', () => {
  /** The device leaves at each possible point between requests to the worker and their answers. */
  it('while it starts to publish either succeeds or gets NOT_FOUND', async () => {
    const outcomes = new Set<string>();
    for (let turns = 0; turns < 60; turns++) {
      const speaker = { ...newPeer(`speaker ${turns}`), multiparty: true };
      await join(`listener ${turns}`);
      await cluster.room(roomId).join(speaker);
      const { peerId } = speaker;
      const sending = cluster
        .room(roomId)
        .produce({ peerId, source: 'microphone', rtpParameters: opus(), paused: false })
        .then(
          () => 'sent',
          (error: { code?: string; message: string }) => error.code ?? error.message,
        );
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      await Promise.all(
        [`listener ${turns}`, peerId].map((id) => cluster.room(roomId).leave({ peerId: id })),
      );
      outcomes.add(await sending);
    }
    expect([...outcomes].sort()).toEqual(['NOT_FOUND', 'sent']);
  });
});
