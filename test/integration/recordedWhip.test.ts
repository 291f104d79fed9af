import { afterAll, beforeAll, expect, it } from 'vitest';
import { WhipClients } from '../harness/WhipClient.ts';
import { filmIn, ready, RecordingServer } from './recordingSupport.ts';
import { download } from './mediaSupport.ts';

/* A program that publishes by WHIP is recorded as everybody is. */

let server: RecordingServer;
let clients: WhipClients;

beforeAll(async () => {
  [server, clients] = await Promise.all([RecordingServer.start(), WhipClients.create()]);
});
afterAll(async () => {
  await clients?.close();
  await server?.dispose();
});

it('what comes by WHIP is a film', async () => {
  const { device, address } = await server.person();
  const stream = await device.ask('streaming.create', { title: 'Ball', record: true });
  clients.publish(stream.whipUrl, stream.streamKey ?? '', 'VP8');
  const { id: recordingId } = await device.heard<{ id: string }>('recording:updated');
  await server.recorded(recordingId, 50_000, 1);
  await device.ask('streaming.end', { streamId: stream.id });
  const { files } = await ready(device, recordingId);
  const form = { mimeType: 'video/webm', name: 'Ball.webm', width: 640, height: 360 };
  expect(files).toMatchObject([{ ...form, walletAddress: address, isScreen: false }]);
  const film = filmIn((await download(files[0]?.url ?? '')).bytes);
  expect(film).toMatchObject({ video: 'vp8', audio: 'opus' });
  expect(film.pictures).toBeGreaterThan((film.seconds - 1) * 15);
});
