import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WireConferenceRoom } from '../../../sdk/protocol/conference.ts';
import { until } from '../../harness/until.ts';
import { connectDatabase } from '../money/accountSupport.ts';
import { contentsOf, ready, RecordingServer } from './recordingSupport.ts';

/* Devices with real audio and video are recorded in calls and rooms, and are notified of it. */

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start();
});
afterAll(() => server?.dispose());

it.concurrent('records a call for one of the two parties and notifies both', async () => {
  const [alice, bob, carol] = [await server.person(), await server.person(), await server.person()];
  const { id: callId } = await alice.device.ask('calls.start', { to: bob.address, type: 'video' });
  const tooEarly = alice.device.ask('calls.startRecording', { callId });
  await expect(tooEarly).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await bob.device.ask('calls.answer', { callId })).toMatchObject({ isRecording: false });
  await alice.device.publish('call', callId);
  await bob.device.publish('call', callId);
  const stranger = carol.device.ask('calls.startRecording', { callId });
  await expect(stranger).rejects.toMatchObject({ code: 'NOT_FOUND' });

  const started = await alice.device.ask('calls.startRecording', { callId });
  expect(started).toMatchObject({ kind: 'call', roomId: callId, host: alice.address, status: 'recording' });
  const expected = { callId, recording: true, by: alice.address };
  for (const { device } of [alice, bob])
    expect(await device.events.first('call:recording')).toEqual(expected);
  // A reconnected or additional device gets the recording state.
  const [active] = await bob.device.ask('calls.getActive', {});
  expect(active).toMatchObject({ isRecording: true, recordedBy: alice.address });
  const twice = bob.device.ask('calls.startRecording', { callId });
  await expect(twice).rejects.toMatchObject({ code: 'CONFLICT' });
  const others = bob.device.ask('calls.stopRecording', { callId });
  await expect(others).rejects.toMatchObject({ code: 'CONFLICT' });

  await server.recorded(started.id, 15_000, 2);
  await alice.device.ask('calls.stopRecording', { callId });
  for (const { device } of [alice, bob])
    await device.events.first<typeof expected>('call:recording', ({ recording }) => !recording);
  const recording = await ready(alice.device, started.id);
  expect(recording.endReason).toBe('stopped');
  const codecs = { isScreen: false, video: 'vp8', audio: 'opus', isLong: true };
  const found = await contentsOf(recording);
  expect(found).toHaveLength(2);
  for (const { address } of [alice, bob]) expect(found).toContainEqual({ walletAddress: address, ...codecs });
  expect(recording.durationSeconds).toBeGreaterThan(1);
  for (const { device } of [bob, carol]) {
    expect(await device.ask('recordings.list', {})).toEqual([]);
    const unauthorized = device.ask('recordings.get', { recordingId: started.id });
    await expect(unauthorized).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
  // A recording that ends with the call is stored.
  const again = await bob.device.ask('calls.startRecording', { callId });
  await server.recorded(again.id, 1_000, 2);
  await alice.device.ask('calls.end', { callId });
  expect(await ready(bob.device, again.id)).toMatchObject({ endReason: 'over', host: bob.address });
});

it.concurrent('ends the recording of a call that becomes a room, which is recorded only if a host starts that', async () => {
  const [alice, bob, carol] = [await server.person(), await server.person(), await server.person()];
  const { id: callId } = await alice.device.ask('calls.start', { to: bob.address, type: 'video' });
  await bob.device.ask('calls.answer', { callId });
  for (const { device } of [alice, bob]) await device.publish('call', callId);
  const { id: recordingId } = await bob.device.ask('calls.startRecording', { callId });
  await server.recorded(recordingId, 15_000, 2);
  const room = await alice.device.ask('calls.addPeople', { callId, addresses: [carol.address] });
  expect(room).toMatchObject({ isRecording: false, recordedBy: null });
  const over = { id: callId, endReason: 'moved', movedTo: room.id, isRecording: false };
  expect(await bob.device.events.first('call:ended')).toMatchObject(over);
  // The call's media runs on for a while, until both are in the room. The recording does not.
  const recording = await ready(bob.device, recordingId);
  expect(recording).toMatchObject({ kind: 'call', roomId: callId, host: bob.address, endReason: 'over' });
  expect(recording.durationSeconds).toBeGreaterThan(1);
  const found = await contentsOf(recording);
  expect(found).toHaveLength(2);
  for (const walletAddress of [alice.address, bob.address])
    expect(found).toContainEqual({
      walletAddress,
      isScreen: false,
      video: 'vp8',
      audio: 'opus',
      isLong: true,
    });
  for (const { device } of [alice, bob]) await device.ask('conference.join', { roomId: room.id });
  expect(await bob.device.ask('conference.get', { roomId: room.id })).toMatchObject({ isRecording: false });
  expect(await bob.device.ask('recordings.list', {})).toHaveLength(1);
  expect(await alice.device.ask('recordings.list', {})).toEqual([]);
  await alice.device.ask('conference.startRecording', { roomId: room.id });
  const started = { roomId: room.id, recording: true, by: alice.address };
  expect(await bob.device.events.first('conference:recording')).toEqual(started);
  await alice.device.ask('conference.end', { roomId: room.id });
});

it.concurrent('records a room for its hosts only and notifies all participants', async () => {
  const [host, guest] = [await server.person(), await server.person()];
  const { id: roomId } = await host.device.ask('conference.create', {
    name: 'Team',
    maxParticipants: 5,
    settings: { record: true },
  });
  const late = await server.guest(roomId, { identity: 'bob', displayName: 'Bob' });
  const join = async ({ device }: Pick<typeof host, 'device'>): Promise<WireConferenceRoom> => {
    const joined = await device.ask('conference.join', { roomId });
    if (joined.state !== 'joined') throw new Error('the participant is in the waiting room');
    return joined.room;
  };
  for (const one of [host, guest])
    expect(await join(one)).toMatchObject({ isRecording: true, recordedBy: host.address });
  const guests = guest.device.ask('conference.stopRecording', { roomId });
  await expect(guests).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
  await host.device.ask('conference.stopRecording', { roomId });
  const ended = { roomId, recording: false, by: host.address };
  expect(
    await guest.device.events.first<typeof ended>('conference:recording', ({ recording }) => !recording),
  ).toEqual(ended);
  expect(await guest.device.ask('conference.get', { roomId })).toMatchObject({ isRecording: false });
  const denied = guest.device.ask('conference.startRecording', { roomId });
  await expect(denied).rejects.toMatchObject({ code: 'ACCESS_DENIED' });

  await host.device.publish('conference', roomId);
  const started = await host.device.ask('conference.startRecording', { roomId });
  const heard = guest.device.events.first<typeof ended>('conference:recording', ({ recording }) => recording);
  expect(await heard).toEqual({ ...ended, recording: true });
  // Media that starts during the recording is recorded too.
  await server.recorded(started.id, 1, 1);
  await guest.device.publish('conference', roomId, ['microphone']);
  await server.recorded(started.id, 1, 2);
  expect((await join(late)).isRecording).toBe(true);
  await late.device.publish('conference', roomId, ['microphone']);
  await server.recorded(started.id, 5_000, 3);
  await host.device.ask('conference.end', { roomId });
  const recording = await ready(host.device, started.id);
  expect(recording).toMatchObject({ kind: 'conference', title: 'Team', endReason: 'over' });
  expect(await contentsOf(recording)).toEqual([
    { walletAddress: host.address, isScreen: false, video: 'vp8', audio: 'opus', isLong: true },
    { walletAddress: guest.address, isScreen: false, video: null, audio: 'opus', isLong: true },
    { walletAddress: late.address, isScreen: false, video: null, audio: 'opus', isLong: true },
  ]);
  // Also after the room has ended, guests have their names.
  expect(recording.files.map(({ displayName }) => displayName)).toEqual([null, null, 'Bob']);
  expect(recording.files[1]?.startSeconds).toBeGreaterThan(0);
  expect(recording.files[1]?.mimeType).toBe('audio/webm');
  // The first recording was empty.
  const all = await host.device.ask('recordings.list', { kind: 'conference' });
  expect(all.map(({ status, endReason }) => [status, endReason])).toEqual([
    ['ready', 'over'],
    ['failed', 'nothing_recorded'],
  ]);
  expect(await guest.device.ask('recordings.list', {})).toEqual([]);
});

it('ends a recording at the maximum duration, and starts none when the storage quota is used up', async () => {
  await server.server.stop();
  await server.server.start({ RECORDING_MAX_SECONDS: '3600', RECORDINGS_MEGABYTES_PER_WALLET: '1' });
  const [alice, bob] = [await server.person(), await server.person()];
  const { id: callId } = await alice.device.ask('calls.start', { to: bob.address, type: 'video' });
  await bob.device.ask('calls.answer', { callId });
  await alice.device.publish('call', callId);
  const started = await alice.device.ask('calls.startRecording', { callId });
  await server.recorded(started.id, 1_000, 1);
  const startedAnHourAgo = `UPDATE recordings SET started_at = started_at - interval '1 hour' WHERE id = $1`;
  // Who ends the call locks it before its recording. If the recording were locked first here, both would wait for each other.
  const database = await connectDatabase(server.server);
  await database.query('BEGIN');
  await database.query('SELECT FROM calls WHERE id = $1 FOR UPDATE', [callId]);
  await server.query(startedAnHourAgo, [started.id]);
  const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE '%from "calls"%for update'`;
  await until(async () => (await server.query(waiting)).length === 1, 'the recording waits for its call');
  await database.query('SELECT FROM recordings WHERE id = $1 FOR UPDATE NOWAIT', [started.id]);
  await database.query('COMMIT');
  await database.end();
  await bob.device.events.first<{ recording: boolean }>('call:recording', ({ recording }) => !recording);
  expect(await ready(alice.device, started.id)).toMatchObject({ endReason: 'too_long' });
  expect(await alice.device.ask('calls.getActive', {})).toMatchObject([{ isRecording: false }]);
  await server.query('UPDATE recordings SET size_bytes = 1048576 WHERE id = $1', [started.id]);
  const another = alice.device.ask('calls.startRecording', { callId });
  await expect(another).rejects.toThrow('too many recordings');
  // One that another wallet keeps, or that is deleted, does not count.
  await server.query('UPDATE recordings SET host = $2 WHERE id = $1', [started.id, bob.address]);
  const second = await alice.device.ask('calls.startRecording', { callId });
  await server.recorded(second.id, 1_000, 1);
  await alice.device.ask('calls.stopRecording', { callId });
  await ready(alice.device, second.id);
  await server.query('UPDATE recordings SET host = $2 WHERE id = $1', [started.id, alice.address]);
  await expect(alice.device.ask('calls.startRecording', { callId })).rejects.toThrow('too many recordings');
  await alice.device.ask('recordings.delete', { recordingId: started.id });
  await alice.device.ask('calls.startRecording', { callId });
});
