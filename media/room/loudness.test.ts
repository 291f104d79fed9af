import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitForAudio, SyntheticPeer } from '../../test/harness/clients/SyntheticPeer.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';
import { openLocal, record, type RecordedEvents } from '../../test/harness/media/mediaFixtures.ts';

/* Thirty-five speakers and two listeners on two workers, with real Opus audio. */

const roomId = randomUUID();
let cluster: LocalMediaCluster;
let seen: RecordedEvents;
const speakers = new Map<string, { peer: SyntheticPeer; setVolume: (volume: number) => void }>();
const listeners: SyntheticPeer[] = [];

const nameOf = (index: number) => `speaker ${index}`;

beforeAll(async () => {
  cluster = await openLocal({ workers: 2, consumersPerWorker: 40 });
  seen = record(cluster)(roomId);
  await cluster.openRoom(roomId);
  for (const name of ['first listener', 'second listener'])
    listeners.push(await SyntheticPeer.join(cluster, roomId, name));
});
afterAll(async () => {
  for (const { peer } of speakers.values()) peer.close();
  for (const peer of listeners) peer.close();
  await cluster?.close();
});

async function addSpeakers(from: number, to: number): Promise<void> {
  for (let index = from; index < to; index++) {
    const peer = await SyntheticPeer.join(cluster, roomId, nameOf(index), { consumes: false });
    const { setVolume } = await peer.speak(0);
    speakers.set(nameOf(index), { peer, setVolume });
  }
}

/** The speakers whose packets a listener receives. */
async function receivedSpeakers(listener: SyntheticPeer): Promise<string[]> {
  const packets = async () =>
    Promise.all(
      listener.receives.map(async ({ from }) => ({
        from,
        count: (await listener.inbound(from, 'microphone'))?.packets ?? 0,
      })),
    );
  const before = new Map((await packets()).map(({ from, count }) => [from, count]));
  await new Promise((resolve) => setTimeout(resolve, 600));
  return (await packets())
    .filter(({ from, count }) => count > (before.get(from) ?? 0) + 1)
    .map(({ from }) => from)
    .sort();
}

const loud = (...names: string[]) => {
  for (const [name, { setVolume }] of speakers) setVolume(names.includes(name) ? 0.8 : 0.001);
};

describe('active-speaker forwarding', () => {
  it('forwards all microphones with up to thirty people', async () => {
    await addSpeakers(0, 28);
    loud();
    for (const listener of listeners)
      await until(() => listener.receives.length === 28, 'a consumer of each speaker');
    await waitForAudio(listeners.slice(0, 1), [nameOf(0), nameOf(27)]);
  });

  it('forwards the loudest ten with more people, and creates consumers when they are first needed', async () => {
    await addSpeakers(28, 35);
    const later = Array.from({ length: 7 }, (_, index) => nameOf(28 + index));
    const has = (name: string) =>
      listeners.every(({ receives }) => receives.some(({ from }) => from === name));
    // Two of them joined before the room was large. The microphones of the others have not needed consumers yet.
    expect(later.filter(has).length).toBeLessThan(7);
    await until(
      async () => (await receivedSpeakers(listeners[0] as SyntheticPeer)).length === 10,
      'ten speakers are forwarded',
      20_000,
    );
    loud(...later);
    await until(() => later.every(has), 'consumers of all current speakers');
    await waitForAudio(listeners, later);
    await until(async () => {
      const names = await receivedSpeakers(listeners[1] as SyntheticPeer);
      return names.length === 10 && later.every((name) => names.includes(name));
    }, 'ten speakers are forwarded, including all current ones');
  });

  it('closes consumers of microphones that are not forwarded for long, and creates new ones when they speak', async () => {
    for (const listener of listeners)
      await until(() => listener.receives.length === 10, `${listener.id} has ten consumers left`);
    const silent = [...speakers.keys()].filter(
      (name) => !listeners.some(({ receives }) => receives.some(({ from }) => from === name)),
    );
    expect(silent).toHaveLength(25);
    const [one = '', other = ''] = silent;
    loud(one, other);
    await waitForAudio(listeners, [one, other]);
    loud();
  });

  it('sends a participant’s microphone to an egress even when it is not forwarded', async () => {
    const [listener] = listeners;
    const forwarded = new Set(listener?.receives.map(({ from }) => from));
    const [recorded = ''] = forwarded;
    let packets = 0;
    const socket = createSocket('udp4', () => packets++).bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    const receivesAt = { ip: '127.0.0.1', ports: { video: port, audio: port } };
    const egresses = { of: recorded, shows: 'camera' as const, ...receivesAt };
    const { tracks } = await cluster.room(roomId).openEgress({ peerId: 'egress', tag: {}, ...egresses });
    await cluster
      .room(roomId)
      .resumeConsumers({ peerId: 'egress', consumerIds: tracks.map(({ consumerId }) => consumerId) });
    await until(() => packets > 20, 'packets');
    const others = [...speakers.keys()].filter((name) => !forwarded.has(name)).slice(0, 10);
    loud(...others);
    await waitForAudio(listeners, others);
    await until(
      async () => !(await receivedSpeakers(listener as SyntheticPeer)).includes(recorded),
      'the recorded microphone is no longer forwarded',
    );
    const before = packets;
    await until(() => packets > before + 20, 'packets of the microphone that is not forwarded');
    await cluster.room(roomId).leave({ peerId: 'egress' });
    socket.close();
  });

  it('ranks speakers by loudness', async () => {
    const [quiet, loudest] = [speakers.get(nameOf(3)), speakers.get(nameOf(30))];
    loud();
    quiet?.setVolume(0.1);
    loudest?.setVolume(0.9);
    const last = () => seen.speakers.at(-1)?.speakers.map(({ peer }) => peer.peerId);
    await until(() => last()?.join() === `${nameOf(30)},${nameOf(3)}`, 'both speakers in this order');
    loud();
    await until(() => last()?.length === 0, 'no speakers');
  });

  it('forwards all microphones again when the room is small again', async () => {
    for (let index = 0; index < 7; index++) await speakers.get(nameOf(index))?.peer.leave();
    await waitForAudio(
      listeners.slice(0, 1),
      Array.from({ length: 28 }, (_, index) => nameOf(7 + index)),
    );
  });
});
