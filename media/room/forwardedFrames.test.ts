import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ortc } from 'mediasoup';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RtpCapabilities } from '../../sdk/protocol/media.ts';
import { RtpPeer } from '../../test/bench/rooms/RtpPeer.ts';
import { decodable, type BenchParticipant } from '../../test/bench/rooms/BenchParticipant.ts';
import type { LayerShape } from '../../test/bench/rooms/shapes.ts';
import { until } from '../../test/harness/until.ts';
import { FrameInspector } from '../../test/harness/media/FrameInspector.ts';
import { mediaCodecs } from '../router/codecs.ts';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';
import { openLocal } from '../../test/harness/media/mediaFixtures.ts';

/*
 * The frames of a video in three layers, as viewers receive them while layers switch. Each frame must follow the previous one, or be a key
 * frame that continues its numbering. The test uses real DTLS and workers, but no encoder. All layers start with the same picture id, as in
 * libwebrtc.
 */

const layers = [
  { kbit: 60, framesPerSecond: 20, width: 320, height: 180 },
  { kbit: 100, framesPerSecond: 20, width: 640, height: 360 },
  { kbit: 150, framesPerSecond: 20, width: 1280, height: 720 },
];
const rtpCapabilities = decodable(ortc.generateRouterRtpCapabilities(mediaCodecs) as RtpCapabilities);

let cluster: LocalMediaCluster;
let roomId: string;
let publisher: RtpPeer;
let ticking: NodeJS.Timeout;
let inspectors: FrameInspector[];
let producerIds: string[];

beforeEach(() => begin(layers));

/** One layer without temporal layers, as the SDK publishes from Firefox (sdk/src/media/encodings.ts). */
const flat = [{ kbit: 100, framesPerSecond: 20, width: 640, height: 360, isFlat: true }];

async function begin(sent: LayerShape[]): Promise<void> {
  // The second viewer is on the second worker, behind a pipe.
  cluster = await openLocal({ workers: 2, consumersPerWorker: 1 });
  roomId = randomUUID();
  producerIds = [];
  await cluster.openRoom(roomId);
  publisher = await RtpPeer.enter(publisherState(), 0, sent);
  publisher.startAt(performance.now());
  ticking = setInterval(() => publisher.tick(performance.now()), 10);
  // The publisher follows layer demand, as the SDK does.
  cluster.on('layersWanted', ({ layer }) => publisher.sendUpTo(layer));
  const options = { withoutTemporalLayers: sent === flat };
  inspectors = [
    await FrameInspector.open(cluster, roomId, 'near', options),
    await FrameInspector.open(cluster, roomId, 'far', options),
  ];
  expect(await cluster.routersOf(roomId)).toHaveLength(2);
  await flow();
}

afterEach(end);

async function end(): Promise<void> {
  clearInterval(ticking);
  for (const inspector of inspectors) await inspector.close();
  publisher.close();
  await cluster.close();
}

function publisherState(): BenchParticipant {
  const peerId = 'publisher';
  return {
    join: () =>
      cluster.room(roomId).join({
        peerId,
        identity: peerId,
        tag: {},
        rtpCapabilities,
        multiparty: true,
        isViewer: false,
      }),
    connect: (transportId, { dtlsParameters }) =>
      cluster.room(roomId).connectTransport({ peerId, transportId, dtlsParameters }),
    async produce(kind, rtpParameters) {
      if (kind === 'audio') return;
      const { producerId } = await cluster.room(roomId).produce({
        peerId,
        source: 'camera',
        rtpParameters,
        paused: false,
        size: { width: 1280, height: 720 },
      });
      producerIds.push(producerId);
    },
    receive: () => Promise.resolve(),
    close: () => undefined,
  };
}

/** Waits until each viewer gets new frames. */
const flow = (watching = inspectors) =>
  Promise.all(
    watching.map(async ({ frames }) => {
      const before = frames.frames;
      await until(() => frames.frames > before + 10, 'frames');
    }),
  );

it('keeps the frames in sequence when layers change, pause, or have fallen behind without viewers', async () => {
  for (const height of [180, 720, 0, 360, 180, 720, 360]) {
    await Promise.all(inspectors.map((inspector) => inspector.setHeight(height)));
    if (height > 0) await flow();
    // Higher layers are switched off after four seconds and fall behind from then on.
    if (height === 180) await delay(4_500);
  }
  for (const { frames } of inspectors) {
    expect(frames.problems).toEqual([]);
    // Some changes are superseded by the next one before their key frame arrives.
    expect(frames.keyFrames).toBeGreaterThan(2);
  }
});

it('keeps the frames of one viewer in sequence while another viewer changes layers', async () => {
  const [near, far] = inspectors as [FrameInspector, FrameInspector];
  for (const height of [180, 720, 360, 0, 720]) {
    await far.setHeight(height);
    await flow(height > 0 ? [near, far] : [near]);
  }
  expect(near.frames.problems).toEqual([]);
  expect(far.frames.problems).toEqual([]);
});

it('keeps the frames of a single layer without temporal layers in sequence, in the sender’s numbering', async () => {
  await end();
  await begin(flat);
  for (const height of [180, 720, 0, 360, 0, 720]) {
    await Promise.all(inspectors.map((inspector) => inspector.setHeight(height)));
    if (height > 0) await flow();
  }
  for (const { frames } of inspectors) {
    expect(frames.problems).toEqual([]);
    expect(frames.keyFrames).toBeGreaterThan(1);
  }
});
