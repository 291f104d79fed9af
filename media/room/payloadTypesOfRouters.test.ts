import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';
import { newPeer, openLocal, opus, record, vp8 } from '../../test/harness/media/mediaFixtures.ts';

describe('devices with their own payload types', () => {
  let cluster: LocalMediaCluster;

  beforeAll(async () => {
    cluster = await openLocal();
  });
  afterAll(() => cluster.close());

  const watch = (room: string, name: string, payloadTypes?: Record<string, number>) =>
    cluster.room(room).join({ ...newPeer(name, name, true), payloadTypes });
  const typesOf = ({ consumers }: Awaited<ReturnType<typeof watch>>) =>
    Object.fromEntries(
      consumers.map(({ consumer }) => [consumer.kind, consumer.rtpParameters.codecs[0]?.payloadType]),
    );

  it('share one router per payload-type mapping', async () => {
    await cluster.openRoom('str_1');
    await cluster.room('str_1').join(newPeer('host', 'host', true));
    await cluster
      .room('str_1')
      .produce({ peerId: 'host', source: 'microphone', rtpParameters: opus(), paused: false });
    await cluster
      .room('str_1')
      .produce({ peerId: 'host', source: 'camera', rtpParameters: vp8(), paused: false });
    expect(typesOf(await watch('str_1', 'app'))).toEqual({ audio: 100, video: 101 });
    expect(await cluster.routersOf('str_1')).toHaveLength(1);

    const firefox = { 'audio/opus': 109, 'video/vp8': 120 };
    const [first, second] = await Promise.all([
      watch('str_1', 'fox', firefox),
      watch('str_1', 'vixen', firefox),
    ]);
    expect([first, second].map(typesOf)).toEqual([
      { audio: 109, video: 120 },
      { audio: 109, video: 120 },
    ]);
    expect(await cluster.routersOf('str_1')).toHaveLength(2);
    expect(typesOf(await watch('str_1', 'gst', { 'video/vp8': 100, 'audio/opus': 96 }))).toEqual({
      audio: 96,
      video: 100,
    });
    expect(await cluster.routersOf('str_1')).toHaveLength(3);
  });

  it('close their router when the last of them leaves', async () => {
    await cluster.room('str_1').leave({ peerId: 'gst' });
    await cluster.room('str_1').leave({ peerId: 'fox' });
    expect(await cluster.routersOf('str_1')).toHaveLength(2);
    await cluster.room('str_1').leave({ peerId: 'vixen' });
    expect(await cluster.routersOf('str_1')).toHaveLength(1);
  });

  it('get no shared screen, because they have one transceiver of each kind', async () => {
    await cluster.openRoom('str_2');
    const seen = record(cluster)('str_2');
    await cluster.room('str_2').join(newPeer('host', 'host', true));
    const firefox = { 'audio/opus': 109, 'video/vp8': 120 };
    await watch('str_2', 'early', firefox);
    for (const source of ['camera', 'microphone', 'screen', 'screen-audio'] as const) {
      const rtpParameters = source === 'camera' || source === 'screen' ? vp8() : opus();
      await cluster.room('str_2').produce({ peerId: 'host', source, rtpParameters, paused: false });
    }
    const offered = seen.consumer.filter(({ to }) => to.peerId === 'early');
    expect(offered.map(({ consumer }) => consumer.source)).toEqual(['camera', 'microphone']);
    const sourcesOf = ({ consumers }: Awaited<ReturnType<typeof watch>>) =>
      consumers.map(({ consumer }) => consumer.source);
    expect(sourcesOf(await watch('str_2', 'late', firefox))).toEqual(['camera', 'microphone']);
    // An app shows each of them.
    expect(sourcesOf(await watch('str_2', 'app'))).toHaveLength(4);
  });

  it('are rejected when no router can use the payload types', async () => {
    await expect(watch('str_1', 'odd', { 'audio/opus': 96, 'video/vp8': 96 })).rejects.toMatchObject({
      reason: 'not_acceptable',
    });
  });
});
