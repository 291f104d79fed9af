import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installed } from '../../harness/installed.ts';
import { WhipClients } from '../../harness/WhipClient.ts';
import { filmIn, ready, RecordingServer } from './recordingSupport.ts';
import { download } from '../rooms/mediaSupport.ts';

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

const forms = {
  VP8: { form: { mimeType: 'video/webm', name: 'Ball.webm' }, codec: 'vp8' },
  H264: { form: { mimeType: 'video/mp4', name: 'Ball.mp4' }, codec: 'h264' },
} as const;

it.each(['VP8', 'H264'] as const)(
  '%s that comes by WHIP is a film without a broken picture',
  async (codec) => {
    const { device, address } = await server.person();
    const stream = await device.ask('streaming.create', { title: 'Ball', record: true });
    const client = clients.publish(stream.whipUrl, stream.streamKey ?? '', codec);
    const { id: recordingId } = await device.event<{ id: string }>('recording:updated');
    await server.recorded(recordingId, 50_000, 1);
    await device.ask('streaming.end', { streamId: stream.id });
    const { files } = await ready(device, recordingId);
    await client.stop();
    const form = { ...forms[codec].form, width: 640, height: 360 };
    expect(files).toMatchObject([{ ...form, walletAddress: address, isScreen: false }]);
    const { bytes } = await download(files[0]?.url ?? '');
    const film = filmIn(bytes);
    expect(film).toMatchObject({ video: forms[codec].codec, audio: 'opus' });
    expect(film.pictures).toBeGreaterThan((film.seconds - 1) * 15);
    const strict = '-v error -xerror -err_detect explode -i pipe:0 -map 0:v -f null -';
    execFileSync(installed('ffmpeg'), strict.split(' '), { input: bytes });
  },
);
