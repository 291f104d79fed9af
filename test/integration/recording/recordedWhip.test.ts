import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installed } from '../../harness/run/installed.ts';
import { WhipClients } from '../../harness/clients/WhipClient.ts';
import { probeMedia, ready, RecordingServer } from './recordingSupport.ts';
import { download } from '../files/mediaSupport.ts';

/* Recordings of WHIP publishers. */

let server: RecordingServer;
let clients: WhipClients;

beforeAll(async () => {
  [server, clients] = await Promise.all([RecordingServer.start(), WhipClients.create()]);
});
afterAll(async () => {
  await clients?.close();
  await server?.dispose();
});

const forms = {
  VP8: { form: { mimeType: 'video/webm', name: 'Ball.webm' }, codec: 'vp8' },
  H264: { form: { mimeType: 'video/mp4', name: 'Ball.mp4' }, codec: 'h264' },
} as const;

it.each(['VP8', 'H264'] as const)('records %s from WHIP without a damaged frame', async (codec) => {
  const { device, address } = await server.person();
  const stream = await device.ask('streaming.create', { title: 'Ball', record: true });
  const client = clients.publish(stream.whipUrl, stream.streamKey ?? '', codec);
  const { id: recordingId } = await device.events.first<{ id: string }>('recording:updated');
  await server.recorded(recordingId, 50_000, 1);
  await device.ask('streaming.end', { streamId: stream.id });
  const { files } = await ready(device, recordingId);
  await client.stop();
  const form = { ...forms[codec].form, width: 640, height: 360 };
  expect(files).toMatchObject([{ ...form, walletAddress: address, isScreen: false }]);
  const { bytes } = await download(files[0]?.url ?? '');
  const content = probeMedia(bytes);
  expect(content).toMatchObject({ video: forms[codec].codec, audio: 'opus' });
  expect(content.frames).toBeGreaterThan((content.seconds - 1) * 15);
  const strict = '-v error -xerror -err_detect explode -i pipe:0 -map 0:v -f null -';
  execFileSync(installed('ffmpeg'), strict.split(' '), { input: bytes });
});
