import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WireRecording } from '../../../sdk/protocol/recordings.ts';
import { until } from '../../harness/until.ts';
import { contentsOf, ready, RecordingServer } from './recordingSupport.ts';

/* Limits on recordings: duration, size, participants and disk space. The owner is told which limit ended a recording. */

let server: RecordingServer;
const hugeDisk = { RECORDING_FREE_MEGABYTES: '999999999' };

beforeAll(async () => {
  server = await RecordingServer.start({
    RECORDING_MAX_SECONDS: '3600',
    RECORDING_MAX_MEGABYTES: '1',
    RECORDING_MAX_PEOPLE: '1',
  });
});
afterAll(() => server?.dispose());

type Person = Awaited<ReturnType<RecordingServer['person']>>;

/** A room of two, whose host sends microphone audio. */
async function room(): Promise<{ host: Person; guest: Person; roomId: string }> {
  const [host, guest] = [await server.person(), await server.person()];
  const { id: roomId } = await host.device.ask('conference.create', { name: 'Team', maxParticipants: 5 });
  for (const { device } of [host, guest]) await device.ask('conference.join', { roomId });
  await host.device.publish('conference', roomId, ['microphone']);
  return { host, guest, roomId };
}

const stopped = ({ device }: Person, roomId: string) =>
  device.events.first<{ roomId: string; recording: boolean }>(
    'conference:recording',
    (event) => event.roomId === roomId && !event.recording,
  );

it.concurrent('leaves out participants over the limit and notifies the owner', async () => {
  const { host, guest, roomId } = await room();
  const { id: recordingId, leftOut } = await host.device.ask('conference.startRecording', { roomId });
  expect(leftOut).toBe(0);
  await server.recorded(recordingId, 1_000, 1);
  await guest.device.publish('conference', roomId, ['microphone']);
  const isLeftOut = (recording: WireRecording) => recording.id === recordingId && recording.leftOut === 1;
  await host.device.events.first<WireRecording>('recording:updated', isLeftOut);
  await host.device.ask('conference.stopRecording', { roomId });
  const recording = await ready(host.device, recordingId);
  expect(recording.leftOut).toBe(1);
  expect(await contentsOf(recording)).toMatchObject([{ walletAddress: host.address, audio: 'opus' }]);
});

it.concurrent('ends a recording at the maximum size, counting the parts of other nodes', async () => {
  const { host, guest, roomId } = await room();
  const { id: recordingId } = await host.device.ask('conference.startRecording', { roomId });
  await server.recorded(recordingId, 1_000, 1);
  // A part that another node recorded before it died.
  await server.query(
    `INSERT INTO recording_parts (id, recording_id, wallet, node, started_at, bytes)
    VALUES ('elsewhere', $1, $2, 'another', now(), 1048576)`,
    [recordingId, guest.address],
  );
  await stopped(guest, roomId);
  expect(await ready(host.device, recordingId)).toMatchObject({ endReason: 'too_large' });
  expect(await guest.device.ask('conference.get', { roomId })).toMatchObject({ isRecording: false });
});

it.concurrent('joins a recording only when the disk has room for it', async () => {
  const { host, guest, roomId } = await room();
  const { id: recordingId } = await host.device.ask('conference.startRecording', { roomId });
  await server.recorded(recordingId, 1_000, 1);
  // No disk has room for this part.
  await server.query(
    `INSERT INTO recording_parts (id, recording_id, wallet, node, started_at, bytes)
    VALUES ('huge', $1, $2, 'another', now(), 1e15)`,
    [recordingId, guest.address],
  );
  await stopped(guest, roomId);
  const waiting = `SELECT FROM recordings JOIN due ON due.kind = 'recording' AND subject = recordings.id
    WHERE recordings.id = $1 AND status = 'processing' AND recordings.attempts = 0
    AND held_by IS NULL AND due_at > now() + interval '40 seconds'`;
  await until(async () => (await server.query(waiting, [recordingId])).length === 1, 'the join waits');
  await server.query(`DELETE FROM recording_parts WHERE id = 'huge'`);
  await server.query(`UPDATE due SET due_at = now() WHERE kind = 'recording' AND subject = $1`, [
    recordingId,
  ]);
  expect(await ready(host.device, recordingId)).toMatchObject({ endReason: 'too_large' });
});

it('ends a recording when the disk is full, and starts none', async () => {
  const { host, roomId } = await room();
  const { id: recordingId } = await host.device.ask('conference.startRecording', { roomId });
  await server.recorded(recordingId, 1_000, 1);
  await server.server.kill();
  // With this setting the server considers its disk full.
  await server.server.start(hugeDisk);
  host.device = await server.device(host.token);
  expect(await ready(host.device, recordingId)).toMatchObject({ endReason: 'no_space' });
  const another = host.device.ask('conference.startRecording', { roomId });
  await expect(another).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });

  const { id: streamId } = await host.device.ask('streaming.create', { title: 'Friday', record: true });
  await host.device.ask('streaming.start', { streamId });
  await host.device.publish('stream', streamId);
  const failed = await host.device.events.first<WireRecording>(
    'recording:updated',
    ({ kind }) => kind === 'stream',
  );
  expect(failed).toMatchObject({ status: 'failed', endReason: 'no_space', title: 'Friday' });
  expect(await host.device.ask('streaming.get', { streamId })).toMatchObject({ status: 'live' });
});
