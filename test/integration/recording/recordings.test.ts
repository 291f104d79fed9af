import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Recording } from '../../../sdk/src/types.ts';
import { oneNode, type OneNode } from '../../harness/Harness.ts';
import { freePorts } from '../../harness/ports.ts';
import { FfmpegPublisher } from '../../harness/FfmpegPublisher.ts';
import type { TestClient } from '../../harness/TestClient.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { download, storedFiles } from '../rooms/mediaSupport.ts';
import { filmIn } from './recordingSupport.ts';

/* A real ffmpeg pushes to a real server, which records it, and dies in the middle of it. */

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
  }, 'it is recorded');
  return { stream, recordingId: recording?.id ?? '' };
}

function push({ rtmpUrl, streamKey }: { rtmpUrl: string; streamKey: string }): void {
  pushers.push(new FfmpegPublisher(`${rtmpUrl}/${streamKey}`, { size: '320x180', rate: 15 }));
}

/** The films that grow on the node, in its present life and its former ones. */
const growing = (recordingId: string): string[] => {
  const folder = join(harness.server.dataDir, 'recordings');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.includes(recordingId) && path.endsWith('.mkv'))
    .map((path) => join(folder, path));
};

/** Some seconds of the test picture are about so many bytes. */
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

it('a stream becomes a film that its host alone may fetch, and delete', async () => {
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
  const film = filmIn(bytes);
  expect(film).toMatchObject({ video: 'h264', audio: 'opus' });
  expect(film.seconds).toBeGreaterThan(0.7);
  expect(film.seconds).toBeCloseTo(recording.durationSeconds ?? 0, 0);
  // Sound and picture are as long as each other, and nothing is missing in between.
  expect(film.pictures).toBeGreaterThan((film.seconds - 1) * 15);
  const part = await download(recording.url ?? '', { Range: 'bytes=100-199' });
  expect(part.status).toBe(206);
  expect(part.bytes.equals(bytes.subarray(100, 200))).toBe(true);

  const other = await harness.client();
  expect(await other.parley.recordings.list()).toEqual([]);
  await expect(other.parley.recordings.get(recordingId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(other.parley.recordings.delete(recordingId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const bare = recording.url?.split('?')[0] ?? '';
  const as = async (client: TestClient) =>
    (await download(bare, { Authorization: `Bearer ${client.parley.session?.token}` })).status;
  expect([await as(host), await as(other), (await download(bare)).status]).toEqual([200, 404, 401]);

  // Of what it was made of nothing is left; and then nothing of itself.
  await until(() => storedFiles(harness.server).length === 1, 'the parts are gone');
  await host.parley.recordings.delete(recordingId);
  expect((await download(recording.url ?? '')).status).toBe(404);
  await until(() => storedFiles(harness.server).length === 0, 'the file is gone');
  expect(await host.parley.recordings.list()).toEqual([]);
  const rows = () => queryDatabase(harness.server, 'SELECT recording_id FROM recording_parts');
  await until(async () => (await rows()).length === 0, 'its rows are gone');
});

it('what was recorded when the server was killed is kept, and goes on with the publisher', async () => {
  const [{ stream, recordingId }, silent] = await Promise.all([publish('Goes on'), publish('Does not')]);
  await Promise.all([recorded(recordingId), recorded(silent.recordingId)]);
  await harness.server.kill();
  await Promise.all(pushers.splice(0).map((pusher) => pusher.exited()));
  // What lies there is a film, as it is.
  const cut = growing(recordingId);
  expect(cut.map((path) => filmIn(readFileSync(path)))).toMatchObject([{ video: 'h264', audio: 'opus' }]);
  await harness.server.start();
  push(stream);
  await recorded(recordingId, cut);
  for (const { id } of [stream, silent.stream]) await host.parley.streaming.end(id);
  const recording = await ready(recordingId);
  expect(recording.files).toHaveLength(1);
  const film = filmIn((await download(recording.url ?? '')).bytes);
  const alone = filmIn((await download((await ready(silent.recordingId)).url ?? '')).bytes);
  expect(film).toMatchObject({ video: 'h264', audio: 'opus' });
  expect(alone).toMatchObject({ video: 'h264', audio: 'opus' });
  expect(alone.seconds).toBeGreaterThan(0.7);
  // Both parts of it.
  expect(film.seconds).toBeGreaterThan(1.5);
  expect(film.pictures).toBeGreaterThan((film.seconds - 2) * 15);
  const left = await queryDatabase(
    harness.server,
    "SELECT id FROM recordings WHERE status NOT IN ('ready', 'failed')",
  );
  expect(left).toEqual([]);
});
