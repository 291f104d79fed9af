import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Recording } from '../../../sdk/src/types.ts';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { freePorts } from '../../harness/nodes/ports.ts';
import { FfmpegPublisher } from '../../harness/clients/FfmpegPublisher.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { download, storedFiles } from '../files/mediaSupport.ts';
import { probeMedia } from './recordingSupport.ts';

/* A real ffmpeg publishes to a real server, which records it and is killed during the recording. */

let harness: OneNode;
let host: TestClient;
const pushers: FfmpegPublisher[] = [];

beforeAll(async () => {
  const port = await freePorts();
  harness = await oneNode({ RTMP_PORT: String(port), RECORDING_CHUNK_SECONDS: '3600' });
  host = await harness.client();
});
afterEach(() => Promise.all(pushers.splice(0).map((pusher) => pusher.kill())));
afterAll(() => harness?.close());

async function publish(title: string) {
  const stream = await host.parley.streaming.create({ title, record: true });
  push(stream);
  const [recording] = await until(async () => {
    const found = await host.parley.recordings.list({ roomId: stream.id });
    return found.length > 0 ? found : null;
  }, 'the recording exists');
  return { stream, recordingId: recording?.id ?? '' };
}

function push({ rtmpUrl, streamKey }: { rtmpUrl: string; streamKey: string }): void {
  pushers.push(new FfmpegPublisher(`${rtmpUrl}/${streamKey}`, { size: '320x180', rate: 15 }));
}

/** The node's files of a recording that is not finished, including those from before a restart. */
const growing = (recordingId: string): string[] => {
  const folder = join(harness.server.dataDir, 'recordings');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.includes(recordingId) && path.endsWith('.mkv'))
    .map((path) => join(folder, path));
};

/** Waits for a file of 100 kB, which is some seconds of the test video. */
const recorded = (recordingId: string, except: string[] = []) =>
  until(
    () =>
      growing(recordingId).some(
        (path) => !except.includes(path) && (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 100_000,
      ),
    `${recordingId} grows`,
  );

const ready = async (recordingId: string): Promise<Recording> => {
  await host.event('recording:updated', ({ id, status }) => id === recordingId && status === 'ready');
  return host.parley.recordings.get(recordingId);
};

it('records a stream, which only its host can download and delete', async () => {
  const { stream, recordingId } = await publish('Friday: one/two');
  await recorded(recordingId);
  await expect(host.parley.recordings.delete(recordingId)).rejects.toMatchObject({ code: 'CONFLICT' });
  await host.parley.streaming.end(stream.id);
  const recording = await ready(recordingId);
  expect(recording).toMatchObject({
    kind: 'stream',
    roomId: stream.id,
    host: host.address,
    title: 'Friday: one/two',
    status: 'ready',
    endReason: 'over',
  });
  expect(recording.files).toMatchObject([
    { mimeType: 'video/mp4', width: 320, height: 180, name: 'Friday_ one_two.mp4', startSeconds: 0 },
  ]);
  const { status, bytes } = await download(recording.url ?? '');
  expect(status).toBe(200);
  expect(bytes.length).toBe(recording.sizeBytes);
  const content = probeMedia(bytes);
  expect(content).toMatchObject({ video: 'h264', audio: 'opus' });
  expect(content.seconds).toBeGreaterThan(0.7);
  expect(content.seconds).toBeCloseTo(recording.durationSeconds ?? 0, 0);
  // Audio and video have the same length, and no frames are missing in between.
  expect(content.frames).toBeGreaterThan((content.seconds - 1) * 15);
  const part = await download(recording.url ?? '', { Range: 'bytes=100-199' });
  expect(part.status).toBe(206);
  expect(part.bytes.equals(bytes.subarray(100, 200))).toBe(true);

  const other = await harness.client();
  expect(await other.parley.recordings.list()).toEqual([]);
  await expect(other.parley.recordings.get(recordingId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(other.parley.recordings.delete(recordingId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const bare = recording.url?.split('?')[0] ?? '';
  const statusFor = async (client: TestClient) =>
    (await download(bare, { Authorization: `Bearer ${client.parley.session?.token}` })).status;
  expect([await statusFor(host), await statusFor(other), (await download(bare)).status]).toEqual([
    200, 404, 401,
  ]);

  // The parts are removed after merging; deleting removes the file as well.
  await until(() => storedFiles(harness.server).length === 1, 'the parts are gone');
  await host.parley.recordings.delete(recordingId);
  expect((await download(recording.url ?? '')).status).toBe(404);
  await until(() => storedFiles(harness.server).length === 0, 'the file is gone');
  expect(await host.parley.recordings.list()).toEqual([]);
  const rows = () => queryDatabase(harness.server, 'SELECT recording_id FROM recording_parts');
  await until(async () => (await rows()).length === 0, 'its rows are gone');
});

it('keeps what was recorded before a kill and resumes with the publisher', async () => {
  const [{ stream, recordingId }, notResumed] = await Promise.all([
    publish('Resumed'),
    publish('Not resumed'),
  ]);
  await Promise.all([recorded(recordingId), recorded(notResumed.recordingId)]);
  await harness.server.kill();
  await Promise.all(pushers.splice(0).map((pusher) => pusher.exited()));
  // The interrupted files are playable as they are.
  const interrupted = growing(recordingId);
  expect(interrupted.map((path) => probeMedia(readFileSync(path)))).toMatchObject([
    { video: 'h264', audio: 'opus' },
  ]);
  await harness.server.start();
  push(stream);
  await recorded(recordingId, interrupted);
  for (const { id } of [stream, notResumed.stream]) await host.parley.streaming.end(id);
  const recording = await ready(recordingId);
  expect(recording.files).toHaveLength(1);
  const content = probeMedia((await download(recording.url ?? '')).bytes);
  const single = probeMedia((await download((await ready(notResumed.recordingId)).url ?? '')).bytes);
  expect(content).toMatchObject({ video: 'h264', audio: 'opus' });
  expect(single).toMatchObject({ video: 'h264', audio: 'opus' });
  expect(single.seconds).toBeGreaterThan(0.7);
  // It contains both parts.
  expect(content.seconds).toBeGreaterThan(1.5);
  expect(content.frames).toBeGreaterThan((content.seconds - 2) * 15);
  const unfinished = await queryDatabase(
    harness.server,
    "SELECT id FROM recordings WHERE status NOT IN ('ready', 'failed')",
  );
  expect(unfinished).toEqual([]);
});
