import { createServer } from 'node:net';
import { once } from 'node:events';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RtpCapabilities, RtpParameters } from '../sdk/protocol/media.ts';
import { freePorts } from '../test/harness/ports.ts';
import { until } from '../test/harness/until.ts';
import { LocalMediaCluster, type LocalMediaOptions } from './LocalMediaCluster.ts';
import type { MediaEvents } from './MediaCluster.ts';
import { workerBinary } from './worker/workerBinary.mjs';

/* Rooms on real workers. No packet flows here: that is what the browser tests are for. */

const roomId = 'room';
let cluster: LocalMediaCluster;
let seen: { [Name in keyof MediaEvents]: MediaEvents[Name][] };

const open = (options: Partial<LocalMediaOptions> = {}) =>
  LocalMediaCluster.create({
    workers: 1,
    firstPort: 0,
    listenIp: '127.0.0.1',
    announcedAddresses: [],
    networkMbit: 1_000,
    workerBin: workerBinary(),
    log: pino({ level: 'silent' }),
    ...options,
  });

beforeEach(async () => {
  cluster = await open({ workers: 2 });
  seen = { consumer: [], consumerClosed: [], peerUpdated: [], roomRestarted: [] };
  for (const name of Object.keys(seen) as (keyof MediaEvents)[]) {
    cluster.on(name, (payload) => void (seen[name] as unknown[]).push(payload));
  }
  await cluster.openRoom(roomId);
});

afterEach(() => cluster.close());

const join = (peerId: string, seat = peerId) =>
  cluster.join(roomId, {
    peerId,
    seat,
    tag: { name: peerId },
    rtpCapabilities: cluster.rtpCapabilities as RtpCapabilities,
  });

let ssrc = 1_000;
const opus = (): RtpParameters => ({
  codecs: [{ mimeType: 'audio/opus', payloadType: 100, clockRate: 48_000, channels: 2 }],
  encodings: [{ ssrc: ssrc++ }],
  rtcp: { cname: 'test' },
});
const speak = (peerId: string) =>
  cluster.produce(roomId, peerId, { source: 'microphone', rtpParameters: opus(), paused: false });

describe('a room', () => {
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
    expect(seen.consumerClosed).toMatchObject([{ to: { peerId: 'bob' } }]);
  });

  it('gives a seat to the latest who takes it, and keeps it for who comes back', async () => {
    await join('phone', 'alice');
    const second = await join('tablet', 'alice');
    expect(second.replaced).toMatchObject({ peerId: 'phone' });
    await expect(speak('phone')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await join('bob');
    await speak('bob');
    const resume = (peerId: string, seat: string) =>
      cluster.resume(roomId, { peerId, seat, tag: { socket: 'new' } });
    expect(await resume('tablet', 'alice')).toMatchObject({ consumers: [{ from: { peerId: 'bob' } }] });
    expect((await cluster.peers(roomId)).find(({ peerId }) => peerId === 'tablet')?.tag).toEqual({
      name: 'tablet',
      socket: 'new',
    });
    await expect(resume('tablet', 'bob')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(resume('phone', 'alice')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('refuses nonsense as the sender’s fault', async () => {
    const alice = await join('alice');
    const nonsense: RtpParameters = { codecs: [{ mimeType: 'audio/none', payloadType: 1, clockRate: 1 }] };
    await expect(
      cluster.produce(roomId, 'alice', { source: 'microphone', rtpParameters: nonsense, paused: false }),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const fingerprints = [{ algorithm: 'rot13', value: 'x' }];
    await expect(
      cluster.connectTransport(roomId, 'alice', alice.sendTransport.id, { fingerprints }),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(cluster.restartIce(roomId, 'alice', 'no such')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    // What is not there any more is passed over.
    await cluster.resumeConsumers(roomId, 'alice', ['no such']);
  });

  it('is gone once closed, and closing it again is nothing', async () => {
    await join('alice');
    await cluster.closeRoom(roomId);
    await cluster.closeRoom(roomId);
    await cluster.leave(roomId, 'alice');
    await expect(join('alice')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('workers', () => {
  it('share the rooms', async () => {
    for (let index = 0; index < 5; index++) await cluster.openRoom(`room ${index}`);
    expect(cluster.roomsPerWorker).toEqual([3, 3]);
  });

  it('that die are replaced, and only their rooms are made anew', async () => {
    await cluster.openRoom('elsewhere');
    await join('alice');
    const [first, second] = cluster.workerPids;
    process.kill(first ?? 0, 'SIGKILL');
    await until(() => seen.roomRestarted.length > 0, 'the room made anew');
    expect(seen.roomRestarted).toMatchObject([{ roomId, lost: [{ peerId: 'alice' }] }]);
    await join('alice');
    await until(() => cluster.workerPids.length === 2, 'two workers again');
    expect(cluster.workerPids).toContain(second);
    expect(cluster.workerPids).not.toContain(first);
  });

  it('that die all at once are waited for', async () => {
    await join('alice');
    for (const pid of cluster.workerPids) process.kill(pid, 'SIGKILL');
    await until(() => seen.roomRestarted.length > 0, 'the room made anew');
    await join('alice');
  });

  it('announce every address clients may reach them by', async () => {
    const announced = await open({
      announcedAddresses: ['203.0.113.7', '192.168.1.5'],
      firstPort: await freePorts(),
    });
    await announced.openRoom(roomId);
    const { sendTransport } = await announced.join(roomId, {
      peerId: 'alice',
      seat: 'alice',
      tag: {},
      rtpCapabilities: announced.rtpCapabilities as RtpCapabilities,
    });
    expect(
      sendTransport.iceCandidates.map(({ address, protocol }) => `${protocol} ${address}`).sort(),
    ).toEqual(['tcp 192.168.1.5', 'tcp 203.0.113.7', 'udp 192.168.1.5', 'udp 203.0.113.7']);
    await announced.close();
  });

  it('say which port is in the way', async () => {
    const port = await freePorts();
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    await expect(open({ firstPort: port })).rejects.toThrow(`Port ${port} (UDP or TCP) is in use`);
    other.close();
  });
});
