import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { S3Server } from '../../harness/services/S3Server.ts';
import { until, untilUnchanged } from '../../harness/until.ts';
import { probeMedia, ready, RecordingServer } from './recordingSupport.ts';
import { download } from '../files/mediaSupport.ts';

let s3: S3Server;
let server: RecordingServer;

beforeAll(async () => {
  s3 = await S3Server.start();
  server = await RecordingServer.start(s3.settings);
});
afterAll(async () => {
  await server?.dispose();
  await s3?.close();
});

it('keeps everything when the server stops while the storage is away', async () => {
  const { device, token } = await server.person();
  const { id: roomId } = await device.ask('conference.create', { name: 'Team', maxParticipants: 5 });
  await device.ask('conference.join', { roomId });
  await device.publish('conference', roomId, ['microphone']);
  const { id: recordingId } = await device.ask('conference.startRecording', { roomId });
  await server.recorded(recordingId, 1_000, 1);
  s3.isAway = true;
  const storedBytes = async () => {
    const [row] = await server.query('SELECT bytes FROM recording_parts WHERE recording_id = $1', [
      recordingId,
    ]);
    return Number((row as { bytes: string }).bytes);
  };
  await untilUnchanged(storedBytes, 'the storage is away');
  const before = await storedBytes();
  const folder = join(server.server.dataDir, 'recordings');
  const path = (await readdir(folder, { recursive: true })).find((name) => name.endsWith('.mkv')) ?? '';
  await until(async () => (await stat(join(folder, path))).size > 3 * before, 'more is recorded');
  await device.ask('conference.stopRecording', { roomId });
  await server.server.kill();
  await server.server.start();
  const again = await server.device(token);
  const status = async () => (await again.ask('recordings.get', { recordingId })).status;
  // Its recovery has failed at least once.
  await until(() => server.server.log.includes('recovery of recorded parts failed'), 'the recovery fails');
  expect(await status()).toBe('processing');
  s3.isAway = false;
  const recording = await ready(again, recordingId);
  expect(probeMedia((await download(recording.url ?? '')).bytes).seconds).toBeGreaterThan(0.5);
  expect(recording.sizeBytes).toBeGreaterThan(2 * before);
});
