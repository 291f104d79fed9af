import type { Call, MediaTrack, Participant } from '@parley/sdk';
import { expect, test } from 'vitest';
import { next, noCalls, type CallsEvent, type CallsState } from './callState.ts';

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

const after = (...events: CallsEvent[]): CallsState => events.reduce(next, noCalls);
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

test('a call rings, is answered, and its time begins with the answer', () => {
  expect(after(opening).current).toMatchObject({ status: 'opening', cameraOn: true });
  expect(after(opening, entered).current).toMatchObject({ status: 'ringing', id: 'call_1' });
  expect(after(opening, entered, answered).current).toMatchObject({ status: 'active', activeSince: 2_000 });
});

test('an answer that is faster than our own media is not lost', () => {
  const { current } = after(opening, answered, { ...entered, at: 3_000 });
  expect(current).toMatchObject({ status: 'active', activeSince: 2_000 });
});

test('an end that is faster than our own media leaves no call behind', () => {
  const declined = call({ status: 'declined', endReason: 'busy' });
  const { current, summary } = after(opening, { is: 'over', call: declined, at: 2_000 }, entered);
  expect(current).toBeNull();
  expect(summary).toMatchObject({ outcome: 'declined', reason: 'busy' });
});

test('two who call each other get one call, and nothing goes on ringing', () => {
  const one = incoming('call_2');
  const state = after({ is: 'incoming', call: one }, opening, {
    is: 'entered',
    call: { ...one, status: 'active' },
    at: 5,
  });
  expect(state.incoming).toEqual([]);
  expect(state.current).toMatchObject({ id: 'call_2', status: 'active' });
});

test('several calls ring; each stops by itself, and the running one is not touched', () => {
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
  // Another device took that one: it can be taken over from there, until it is over.
  expect(state.running).toEqual([{ id: 'call_3', peer, type: 'video' }]);
  expect(next(state, { is: 'over', call: incoming('call_3'), at: 10 }).running).toEqual([]);
});

test('hanging up sums the call up: cancelled before an answer, with its length after', () => {
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

test('what the other one sends is shown; what other rooms send is not', () => {
  const seen = after(opening, entered, answered, { is: 'track', track: track({}) });
  expect(seen.current).toMatchObject({ remote: stream, remoteCamera: true, peerSends: { video: true } });
  const off = next(seen, { is: 'peer', participant: participant({ video: false }) });
  expect(off.current?.peerSends).toEqual({ audio: true, video: false });
  expect(next(seen, { is: 'peer', participant: participant({ roomId: 'call_9', video: false }) })).toEqual(
    seen,
  );
  expect(next(seen, { is: 'trackEnded', track: track({}) }).current?.remoteCamera).toBe(false);
});

test('a camera that is not there is not shown as on', () => {
  const local: CallsEvent = { is: 'local', id: 'call_1', stream, cameraOn: false };
  expect(after(opening, local).current).toMatchObject({ local: stream, cameraOn: false });
});

test('a chosen device stays chosen when the call is over', () => {
  const state = after(
    opening,
    entered,
    { is: 'chosen', kind: 'camera', deviceId: 'second' },
    { is: 'left', at: 9 },
  );
  expect(state.chosen).toEqual({ camera: 'second' });
});

test('a call that another device took over can be taken back', () => {
  const state = after(opening, entered, answered, { is: 'movedAway', id: 'call_1' });
  expect(after(opening, entered, { is: 'movedAway', id: 'call_9' }).current?.id).toBe('call_1');
  expect(state.current).toBeNull();
  expect(state.running).toEqual([{ id: 'call_1', peer, type: 'video' }]);
});

test('after an absence, the server says what rings and runs beside the current call', () => {
  const state = after({ is: 'incoming', call: incoming('call_4') }, opening, entered, answered, {
    is: 'synced',
    calls: [call({ status: 'active' }), incoming('call_2'), call({ id: 'call_3', status: 'active' })],
  });
  expect(state.current).toMatchObject({ id: 'call_1', status: 'active' });
  expect(state.incoming.map(({ id }) => id)).toEqual(['call_2']);
  expect(state.running.map(({ id }) => id)).toEqual(['call_3']);
});
