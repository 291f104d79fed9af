import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WireConferenceRoom } from '../../../sdk/protocol/conference.ts';
import { filmsOf, ready, RecordingServer } from './recordingSupport.ts';

/* Devices with real sound and pictures are recorded in calls and rooms, and know it. */

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start();
});
afterAll(() => server?.dispose());

it.concurrent('a call is recorded by one of the two, and both know it', async () => {
  const [alice, bob, carol] = [await server.person(), await server.person(), await server.person()];
  const { id: callId } = await alice.device.ask('calls.start', { to: bob.address, type: 'video' });
  const notYet = alice.device.ask('calls.startRecording', { callId });
  await expect(notYet).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await bob.device.ask('calls.answer', { callId })).toMatchObject({ isRecording: false });
  await alice.device.publish('call', callId);
  await bob.device.publish('call', callId);
  const stranger = carol.device.ask('calls.startRecording', { callId });
  await expect(stranger).rejects.toMatchObject({ code: 'NOT_FOUND' });

  const begun = await alice.device.ask('calls.startRecording', { callId });
  expect(begun).toMatchObject({ kind: 'call', roomId: callId, host: alice.address, status: 'recording' });
  const told = { callId, recording: true, by: alice.address };
  for (const { device } of [alice, bob]) expect(await device.event('call:recording')).toEqual(told);
  // Who comes back, or comes with another device, sees it.
  const [active] = await bob.device.ask('calls.getActive', {});
  expect(active).toMatchObject({ isRecording: true, recordedBy: alice.address });
  const twice = bob.device.ask('calls.startRecording', { callId });
  await expect(twice).rejects.toMatchObject({ code: 'CONFLICT' });
  const others = bob.device.ask('calls.stopRecording', { callId });
  await expect(others).rejects.toMatchObject({ code: 'CONFLICT' });

  await server.recorded(begun.id, 15_000, 2);
  await alice.device.ask('calls.stopRecording', { callId });
  for (const { device } of [alice, bob])
    await device.event<typeof told>('call:recording', ({ recording }) => !recording);
  const recording = await ready(alice.device, begun.id);
  expect(recording.endReason).toBe('stopped');
  const film = { isScreen: false, video: 'vp8', audio: 'opus', isLong: true };
  const found = await filmsOf(recording);
  expect(found).toHaveLength(2);
  for (const { address } of [alice, bob]) expect(found).toContainEqual({ walletAddress: address, ...film });
  expect(recording.durationSeconds).toBeGreaterThan(1);
  for (const { device } of [bob, carol]) {
    expect(await device.ask('recordings.list', {})).toEqual([]);
    const theirs = device.ask('recordings.get', { recordingId: begun.id });
    await expect(theirs).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
  // What a call's end ends is not lost.
  const again = await bob.device.ask('calls.startRecording', { callId });
  await server.recorded(again.id, 1_000, 2);
  await alice.device.ask('calls.end', { callId });
  expect(await ready(bob.device, again.id)).toMatchObject({ endReason: 'over', host: bob.address });
});

it.concurrent('a room is recorded by its hosts, and whoever is in it or joins it knows it', async () => {
  const [host, guest, late] = [await server.person(), await server.person(), await server.person()];
  const { id: roomId } = await host.device.ask('conference.create', {
    name: 'Team',
    maxParticipants: 5,
    settings: { record: true },
  });
  const join = async ({ device }: typeof host): Promise<WireConferenceRoom> => {
    const joined = await device.ask('conference.join', { roomId });
    if (joined.state !== 'joined') throw new Error('it waits');
    return joined.room;
  };
  for (const one of [host, guest])
    expect(await join(one)).toMatchObject({ isRecording: true, recordedBy: host.address });
  const guests = guest.device.ask('conference.stopRecording', { roomId });
  await expect(guests).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
  await host.device.ask('conference.stopRecording', { roomId });
  const ended = { roomId, recording: false, by: host.address };
  expect(await guest.device.event<typeof ended>('conference:recording', (news) => !news.recording)).toEqual(
    ended,
  );
  expect(await guest.device.ask('conference.get', { roomId })).toMatchObject({ isRecording: false });
  const denied = guest.device.ask('conference.startRecording', { roomId });
  await expect(denied).rejects.toMatchObject({ code: 'ACCESS_DENIED' });

  await host.device.publish('conference', roomId);
  const begun = await host.device.ask('conference.startRecording', { roomId });
  const heard = guest.device.event<typeof ended>('conference:recording', ({ recording }) => recording);
  expect(await heard).toEqual({ ...ended, recording: true });
  // Also what comes while it runs.
  await server.recorded(begun.id, 1, 1);
  await guest.device.publish('conference', roomId, ['microphone']);
  expect((await join(late)).isRecording).toBe(true);
  await server.recorded(begun.id, 5_000, 2);
  await server.recorded(begun.id, 15_000, 1);
  await host.device.ask('conference.end', { roomId });
  const recording = await ready(host.device, begun.id);
  expect(recording).toMatchObject({ kind: 'conference', title: 'Team', endReason: 'over' });
  expect(await filmsOf(recording)).toEqual([
    { walletAddress: host.address, isScreen: false, video: 'vp8', audio: 'opus', isLong: true },
    { walletAddress: guest.address, isScreen: false, video: null, audio: 'opus', isLong: true },
  ]);
  expect(recording.files[1]?.startSeconds).toBeGreaterThan(0);
  expect(recording.files[1]?.mimeType).toBe('audio/webm');
  // The first one had nothing in it.
  const all = await host.device.ask('recordings.list', { kind: 'conference' });
  expect(all.map(({ status, endReason }) => [status, endReason])).toEqual([
    ['ready', 'over'],
    ['failed', 'nothing_recorded'],
  ]);
  expect(await guest.device.ask('recordings.list', {})).toEqual([]);
});

it('a recording ends when it has been long enough, and none begins where too much is kept', async () => {
  await server.server.stop();
  await server.server.start({ RECORDING_MAX_SECONDS: '3600', RECORDINGS_MEGABYTES_PER_WALLET: '1' });
  const [alice, bob] = [await server.person(), await server.person()];
  const { id: callId } = await alice.device.ask('calls.start', { to: bob.address, type: 'video' });
  await bob.device.ask('calls.answer', { callId });
  await alice.device.publish('call', callId);
  const begun = await alice.device.ask('calls.startRecording', { callId });
  await server.recorded(begun.id, 1_000, 1);
  const earlier = `UPDATE recordings SET started_at = started_at - interval '1 hour' WHERE id = $1`;
  await server.query(earlier, [begun.id]);
  await bob.device.event<{ recording: boolean }>('call:recording', ({ recording }) => !recording);
  expect(await ready(alice.device, begun.id)).toMatchObject({ endReason: 'too_long' });
  expect(await alice.device.ask('calls.getActive', {})).toMatchObject([{ isRecording: false }]);
  await server.query('UPDATE recordings SET size_bytes = 1048576 WHERE id = $1', [begun.id]);
  const another = alice.device.ask('calls.startRecording', { callId });
  await expect(another).rejects.toThrow('too many recordings');
});
