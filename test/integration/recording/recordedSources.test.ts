import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../harness/until.ts';
import { filmsOf, ready, RecordingServer } from './recordingSupport.ts';

/* What somebody sends besides a camera, and instead of one: shared screens are films of their own, and what never comes is not waited for. */

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start();
});
afterAll(() => server?.dispose());

/** Somebody alone in a room of their own, who speaks. */
async function speaker() {
  const { device, address } = await server.person();
  const { id: roomId } = await device.ask('conference.create', { name: 'Team', maxParticipants: 5 });
  await device.ask('conference.join', { roomId });
  await device.publish('conference', roomId, ['microphone']);
  return { device, address, roomId };
}

it.concurrent('a screen in a room is a film each time it is shared', async () => {
  const { device, address, roomId } = await speaker();
  const { id: recordingId } = await device.ask('conference.startRecording', { roomId });
  await server.recorded(recordingId, 3_000, 1);
  await device.publish('conference', roomId, ['screen']);
  await server.recorded(recordingId, 2_500, 1, true);
  await device.ask('conference.stopScreenShare', { roomId });
  await device.publish('conference', roomId, ['screen']);
  const screens = 'SELECT id FROM recording_parts WHERE recording_id = $1 AND is_screen AND bytes > 2500';
  await until(async () => (await server.query(screens, [recordingId])).length === 2, 'two screens');
  await device.ask('conference.end', { roomId });

  const recording = await ready(device, recordingId);
  const screen = { walletAddress: address, isScreen: true, video: 'vp8', audio: null, isLong: true };
  expect(await filmsOf(recording)).toEqual([
    { walletAddress: address, isScreen: false, video: null, audio: 'opus', isLong: true },
    screen,
    screen,
  ]);
  const [, first, second] = recording.files;
  expect(first).toMatchObject({
    name: 'Team (screen).webm',
    mimeType: 'video/webm',
    width: 320,
    height: 180,
  });
  expect(first?.startSeconds).toBeGreaterThan(1);
  expect(second?.startSeconds).toBeGreaterThan((first?.startSeconds ?? 0) + (first?.duration ?? 0));
});

it.concurrent('the screen of a stream is one besides the stream', async () => {
  const { device, address } = await server.person();
  const { id: streamId } = await device.ask('streaming.create', { title: 'Friday', record: true });
  await device.ask('streaming.start', { streamId });
  await device.publish('stream', streamId, ['screen']);
  const { id: recordingId } = await device.event<{ id: string }>('recording:updated');
  await server.recorded(recordingId, 2_500, 1, true);
  await device.publish('stream', streamId);
  await server.recorded(recordingId, 8_000, 1);
  await device.ask('streaming.end', { streamId });
  const recording = await ready(device, recordingId);
  const film = { walletAddress: address, video: 'vp8', isLong: true };
  expect(await filmsOf(recording)).toEqual([
    { ...film, isScreen: true, audio: null },
    { ...film, isScreen: false, audio: 'opus' },
  ]);
  // What the host says and shows is the stream, whichever came first.
  expect(recording.url?.split('?')[0]).toBe(recording.files[1]?.url.split('?')[0]);
});

it.concurrent('a camera that nobody looks at is looked at by what records it', async () => {
  const { device, address, roomId } = await speaker();
  await device.publish('conference', roomId, ['camera']);
  await device.waitUntilUnviewed();
  const { id: recordingId } = await device.ask('conference.startRecording', { roomId });
  await server.recorded(recordingId, 8_000, 1);
  await device.ask('conference.end', { roomId });
  // From the beginning: one film, not sound first.
  expect(await filmsOf(await ready(device, recordingId))).toEqual([
    { walletAddress: address, isScreen: false, video: 'vp8', audio: 'opus', isLong: true },
  ]);
});

it.concurrent('a camera that sends nothing is not waited for, and is there when it does', async () => {
  const { device, address, roomId } = await speaker();
  await device.produceWithoutMedia('conference', roomId);
  const { id: recordingId } = await device.ask('conference.startRecording', { roomId });
  await server.recorded(recordingId, 5_000, 1);
  const parts = () => server.query('SELECT id FROM recording_parts WHERE recording_id = $1', [recordingId]);
  expect(await parts()).toHaveLength(1);
  await device.publish('conference', roomId, ['camera']);
  const both = 'SELECT id FROM recording_parts WHERE recording_id = $1 AND bytes > 4900';
  await until(async () => (await server.query(both, [recordingId])).length === 2, 'both are recorded');
  await device.ask('conference.end', { roomId });
  const film = { walletAddress: address, isScreen: false, audio: 'opus', isLong: true };
  expect(await filmsOf(await ready(device, recordingId))).toEqual([
    { ...film, video: null },
    { ...film, video: 'vp8' },
  ]);
});
