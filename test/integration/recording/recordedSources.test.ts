import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../harness/until.ts';
import { contentsOf, ready, RecordingServer } from './recordingSupport.ts';

/* How the sources of a recording become files: each shared screen is a separate file, and a source without media delays no other. */

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start();
});
afterAll(() => server?.dispose());

/** The only participant in a new room, who sends microphone audio. */
async function speaker() {
  const { device, address } = await server.person();
  const { id: roomId } = await device.ask('conference.create', { name: 'Team', maxParticipants: 5 });
  await device.ask('conference.join', { roomId });
  await device.publish('conference', roomId, ['microphone']);
  return { device, address, roomId };
}

it.concurrent('records one file per screen share in a room', async () => {
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
  expect(await contentsOf(recording)).toEqual([
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

it.concurrent('records the screen of a stream in a separate file', async () => {
  const { device, address } = await server.person();
  const { id: streamId } = await device.ask('streaming.create', { title: 'Friday', record: true });
  await device.ask('streaming.start', { streamId });
  await device.publish('stream', streamId, ['screen']);
  const { id: recordingId } = await device.events.first<{ id: string }>('recording:updated');
  await server.recorded(recordingId, 2_500, 1, true);
  await device.publish('stream', streamId);
  await server.recorded(recordingId, 8_000, 1);
  await device.ask('streaming.end', { streamId });
  const recording = await ready(device, recordingId);
  const codecs = { walletAddress: address, video: 'vp8', isLong: true };
  expect(await contentsOf(recording)).toEqual([
    { ...codecs, isScreen: true, audio: null },
    { ...codecs, isScreen: false, audio: 'opus' },
  ]);
  // The recording's url is the file with camera and microphone, although the screen came first.
  expect(recording.url?.split('?')[0]).toBe(recording.files[1]?.url.split('?')[0]);
});

it.concurrent('records a camera that no participant receives', async () => {
  const { device, address, roomId } = await speaker();
  await device.publish('conference', roomId, ['camera']);
  await device.waitUntilUnviewed();
  const { id: recordingId } = await device.ask('conference.startRecording', { roomId });
  await server.recorded(recordingId, 8_000, 1);
  await device.ask('conference.end', { roomId });
  // One file with video from the beginning, not audio first.
  expect(await contentsOf(await ready(device, recordingId))).toEqual([
    { walletAddress: address, isScreen: false, video: 'vp8', audio: 'opus', isLong: true },
  ]);
});

it.concurrent('starts without a camera that sends nothing, and records it once it does', async () => {
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
  const codecs = { walletAddress: address, isScreen: false, audio: 'opus', isLong: true };
  expect(await contentsOf(await ready(device, recordingId))).toEqual([
    { ...codecs, video: null },
    { ...codecs, video: 'vp8' },
  ]);
});
