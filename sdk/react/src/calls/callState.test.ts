import { ParleyError, type Call, type CallState, type MediaTrack, type Participant } from '@parley/sdk';
import { expect, test } from 'vitest';
import { next, noCalls, shownCalls, type CallsEvent, type OwnCalls } from './callState.ts';

const me = '0x52908400098527886E0F7030069857D2E4169EE7';
const peer = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const stream = {} as MediaStream;

const call = (changed: Partial<Call> = {}): Call => ({
  id: 'call_1',
  from: me,
  to: peer,
  type: 'video',
  status: 'ringing',
  direction: 'outgoing',
  startedAt: null,
  answeredAt: null,
  endedAt: null,
  duration: null,
  endReason: null,
  recordedBy: null,
  isRecording: false,
  ...changed,
});
const incoming = (id: string) => call({ id, from: peer, to: me, direction: 'incoming' });
const participant = (changed: Partial<Participant>) =>
  ({ roomId: 'call_1', walletAddress: peer, audio: true, video: true, ...changed }) as Participant;
const track = (changed: Partial<MediaTrack>) =>
  ({ id: 'call_1', stream, source: 'camera', participant: participant({}), ...changed }) as MediaTrack;

const after = (...events: CallsEvent[]): OwnCalls => events.reduce(next, noCalls);
/** The current call with the media in the SDK's state. */
const shown = (calls: OwnCalls, shared: Partial<CallState> = {}) =>
  shownCalls(calls, {
    ...{
      phase: 'active',
      call: call({ status: 'active' }),
      isMuted: false,
      isCameraOn: false,
      isAway: false,
    },
    ...{ tracks: [], local: { stream: null, screen: null }, remote: null, mediaError: null, trouble: null },
    ...shared,
  } as CallState).current;
const opening: CallsEvent = {
  is: 'opening',
  peer,
  type: 'video',
  direction: 'outgoing',
  id: null,
  cameraOn: true,
};
const entered: CallsEvent = { is: 'entered', call: call(), at: 1_000 };
const answered: CallsEvent = { is: 'answered', call: call({ status: 'active' }), at: 2_000 };

test('measures the duration of a call from the moment it is answered', () => {
  expect(after(opening).current).toMatchObject({ status: 'opening', wanted: { cameraOn: true } });
  expect(after(opening, entered).current).toMatchObject({ status: 'ringing', id: 'call_1' });
  expect(after(opening, entered, answered).current).toMatchObject({ status: 'active', activeSince: 2_000 });
});

test('keeps an answer that arrives before the local media is ready', () => {
  const { current } = after(opening, answered, { ...entered, at: 3_000 });
  expect(current).toMatchObject({ status: 'active', activeSince: 2_000 });
});

test('removes a call that ends before the local media is ready', () => {
  const declined = call({ status: 'declined', endReason: 'busy' });
  const { current, summary } = after(opening, { is: 'over', call: declined, at: 2_000 }, entered);
  expect(current).toBeNull();
  expect(summary).toMatchObject({ outcome: 'declined', reason: 'busy' });
});

test('stops ringing when two simultaneous calls become one', () => {
  const one = incoming('call_2');
  const state = after({ is: 'incoming', call: one }, opening, {
    is: 'entered',
    call: { ...one, status: 'active' },
    at: 5,
  });
  expect(state.incoming).toEqual([]);
  expect(state.current).toMatchObject({ id: 'call_2', status: 'active' });
});

test('ends the ringing of each call separately and keeps the current call', () => {
  const state = after(
    opening,
    entered,
    answered,
    { is: 'incoming', call: incoming('call_2') },
    { is: 'incoming', call: incoming('call_3') },
    { is: 'incoming', call: incoming('call_3') },
    { is: 'over', call: { ...incoming('call_2'), status: 'missed' }, at: 9 },
    { is: 'answered', call: { ...incoming('call_3'), status: 'active' }, at: 9 },
  );
  expect(state.incoming).toEqual([]);
  expect(state.current).toMatchObject({ id: 'call_1', status: 'active' });
  expect(state.summary).toBeNull();
  // Another device answered call_3, so it can be moved to this device until it ends.
  expect(state.running).toEqual([{ id: 'call_3', peer, type: 'video' }]);
  expect(next(state, { is: 'over', call: incoming('call_3'), at: 10 }).running).toEqual([]);
});

test('summarises a hung-up call as cancelled if it was unanswered, and with its duration otherwise', () => {
  expect(after(opening, entered, { is: 'left', at: 9 }).summary).toMatchObject({
    outcome: 'missed',
    reason: 'cancelled',
    seconds: null,
  });
  expect(after(opening, entered, answered, { is: 'left', at: 62_000 }).summary).toMatchObject({
    outcome: 'ended',
    seconds: 60,
  });
});

test('shows the media of the other party', () => {
  const calls = after(opening, entered, answered);
  const seen = shown(calls, { tracks: [track({})], remote: participant({ video: false }) });
  expect(seen).toMatchObject({ remote: stream, remoteCamera: true, remoteSound: false, mediaFailed: false });
  expect(seen?.peerSends).toEqual({ audio: true, video: false });
  expect(shown(calls)).toMatchObject({ remote: null, remoteCamera: false, peerSends: null });
  expect(shown(calls, { mediaError: new Error() })?.mediaFailed).toBe(true);
});

test('does not take a lost camera for the end of all media', () => {
  const calls = after(opening, entered, answered);
  const mediaError = new ParleyError('NOT_FOUND', 'There is no camera.', { extra: { source: 'camera' } });
  expect(shown(calls, { mediaError })).toMatchObject({ mediaFailed: false, lostDevice: 'camera' });
});

test('shows what the user has switched until the SDK has done it', () => {
  const calls = after(opening, entered, answered);
  expect(shown(after(opening))).toMatchObject({ cameraOn: true });
  // The device has no camera.
  expect(shown(calls)).toMatchObject({ cameraOn: false, muted: false });
  const muting = next(calls, { is: 'wanted', wanted: { muted: true } });
  expect(shown(muting)?.muted).toBe(true);
  expect(shown(next(muting, { is: 'wanted', wanted: {} }), { isMuted: true })?.muted).toBe(true);
});

test('knows the id of the call before its media is ready, but keeps that of another call', () => {
  expect(after(opening, { is: 'identified', id: 'call_1' }).current?.id).toBe('call_1');
  expect(after(opening, entered, { is: 'identified', id: 'call_9' }).current?.id).toBe('call_1');
});

test('shows a shared screen beside the camera', () => {
  const screen = {} as MediaStream;
  const calls = after(opening, entered);
  const tracks = [track({ source: 'screen', stream: screen })];
  expect(shown(calls, { tracks })).toMatchObject({ remoteScreen: screen, remote: null });
});

test('ends without a summary when the call becomes a room, and shows the next call large', () => {
  const minimised = after(opening, entered, { is: 'minimised', isMinimised: true });
  const state = next(minimised, { is: 'movedToRoom', callId: 'call_1' });
  expect(state).toMatchObject({ current: null, summary: null, endings: 1 });
  expect(next(state, opening).isMinimised).toBe(false);
});

test('offers to take back a call that was moved to another device', () => {
  const state = after(opening, entered, answered, { is: 'movedAway', id: 'call_1' });
  expect(after(opening, entered, { is: 'movedAway', id: 'call_9' }).current?.id).toBe('call_1');
  expect(state.current).toBeNull();
  expect(state.running).toEqual([{ id: 'call_1', peer, type: 'video' }]);
});

test('loads ringing and running calls again after a lost connection', () => {
  const state = after({ is: 'incoming', call: incoming('call_4') }, opening, entered, answered, {
    is: 'synced',
    calls: [call({ status: 'active' }), incoming('call_2'), call({ id: 'call_3', status: 'active' })],
  });
  expect(state.current).toMatchObject({ id: 'call_1', status: 'active' });
  expect(state.incoming.map(({ id }) => id)).toEqual(['call_2']);
  expect(state.running.map(({ id }) => id)).toEqual(['call_3']);
});
