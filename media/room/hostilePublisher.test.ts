import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { newPeer, openLocal, opus, vp8 } from '../../test/harness/media/mediaFixtures.ts';
import type { RtpParameters, Source } from '../../sdk/protocol/media.ts';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';

/* What a device of its own make may send, with real workers. */

let cluster: LocalMediaCluster;
let roomId: string;

beforeAll(async () => {
  cluster = await openLocal();
});
afterAll(() => cluster?.close());
beforeEach(async () => {
  roomId = randomUUID();
  await cluster.openRoom(roomId);
});
afterEach(() => cluster.closeRoom(roomId));

const join = (peerId: string) => cluster.room(roomId).join(newPeer(peerId, peerId, true));
const produce = (peerId: string, source: Source, rtpParameters: RtpParameters) =>
  cluster.room(roomId).produce({ peerId, source, paused: false, rtpParameters });

const [video] = vp8().codecs;
const vp9 = { mimeType: 'video/VP9', payloadType: 110, clockRate: 90_000, parameters: { 'profile-id': 0 } };

it.each<[string, Source, () => RtpParameters]>([
  // mediasoup fails to create consumers of these two.
  [
    'two payload types of a codec',
    'camera',
    () => changed({ codecs: [video!, { ...video!, payloadType: 120 }] }),
  ],
  ['two codecs', 'camera', () => changed({ codecs: [vp9, video!], encodings: layersOf(101) })],
  ['video as a microphone', 'microphone', vp8],
  ['sound as a camera', 'camera', opus],
  ['thousands of layers', 'camera', () => changed({ encodings: [{ ssrc: 1, scalabilityMode: 'L99T99' }] })],
  ['one SSRC twice', 'camera', () => changed({ encodings: [{ ssrc: 1 }, { ssrc: 1 }] })],
])('%s is refused, and harms nobody', async (_what, source, parameters) => {
  await join('ann');
  await join('ben');
  await expect(produce('ann', source, parameters())).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  expect((await join('cem')).consumers).toEqual([]);
  await produce('ann', source, source === 'camera' ? vp8() : opus());
  expect((await join('dan')).consumers).toHaveLength(1);
});

it('a bitrate is only claimed up to what a device may send', async () => {
  await join('ann');
  await produce('ann', 'camera', changed({ encodings: [{ ssrc: 1, maxBitrate: Number.MAX_SAFE_INTEGER }] }));
  const [received] = (await join('ben')).consumers;
  expect(received?.consumer.rtpParameters.encodings).toMatchObject([{ maxBitrate: 8_000_000 }]);
});

it('an SSRC or transport that is in use is refused', async () => {
  const { sendTransport } = await join('ann');
  const parameters = vp8();
  await produce('ann', 'camera', parameters);
  const other = { ...parameters, rtcp: { cname: 'other' } };
  await expect(produce('ann', 'screen', other)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  const connect = (byte: string) =>
    cluster.room(roomId).connectTransport({
      peerId: 'ann',
      transportId: sendTransport!.id,
      dtlsParameters: {
        role: 'client',
        fingerprints: [{ algorithm: 'sha-256', value: Array(32).fill(byte).join(':') }],
      },
    });
  await connect('00');
  await expect(connect('11')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

function changed(changes: Partial<RtpParameters>): RtpParameters {
  return { ...vp8(), ...changes };
}

const layersOf = (codecPayloadType: number) => [1, 2].map((ssrc) => ({ ssrc, codecPayloadType }));
