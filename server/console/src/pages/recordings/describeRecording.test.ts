import type { Recording } from '@parley/sdk';
import { expect, it } from 'vitest';
import { partyName } from '@parley/react';
import { factsOf, fileLabel, hintsOf, namingOf, titleOf } from './describeRecording.ts';

const recording = (change: Partial<Recording>): Recording => ({
  id: 'rec_1',
  kind: 'stream',
  roomId: 'str_1',
  host: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  title: 'Friday',
  status: 'ready',
  startedAt: new Date(),
  endedAt: new Date(),
  endReason: 'over',
  durationSeconds: 754,
  sizeBytes: 5 * 1_024 * 1_024,
  leftOut: 0,
  url: '/files/1',
  files: [],
  ...change,
});

it('describes the kind, duration and size of a recording', () => {
  expect(factsOf(recording({}))).toBe('Stream · 12 min 34 s · 5 MB');
  expect(factsOf(recording({ status: 'recording', durationSeconds: null, sizeBytes: null }))).toBe(
    'Stream · recording',
  );
});

const [own, other] = [
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
] as const;
const naming = { own, nameOf: (party: string) => (party === other ? 'Ben' : partyName(party)) };

it('labels a recording by its title, or by its kind and the other party if it has none', () => {
  const title = (change: Partial<Recording>) => titleOf(recording(change), naming);
  expect([title({}), title({ title: '', kind: 'call' })]).toEqual(['Friday', 'Call']);
  const files = [own, other, other].map((walletAddress) => ({
    walletAddress,
  })) as unknown as Recording['files'];
  expect(title({ title: '', kind: 'call', files })).toBe('Call with Ben');
});

it('names people as they are known, and guests as they were called in the room', () => {
  const files = [
    { walletAddress: other, displayName: 'Benny' },
    { walletAddress: 'guest:bob', displayName: 'Bob' },
  ] as const;
  const { nameOf } = namingOf(own, [...files], new Map([[other, { name: 'Ben' }]]));
  expect([nameOf(other), nameOf('guest:bob'), nameOf('guest:eve')]).toEqual(['Ben', 'Bob', 'eve']);
  expect(namingOf(own, [...files], new Map()).nameOf(other)).toBe('Benny');
});

it('explains why a recording failed or is incomplete', () => {
  expect(hintsOf(recording({}))).toEqual([]);
  expect(hintsOf(recording({ status: 'failed', endReason: 'no_space' }))).toEqual([
    expect.stringContaining('storage is full'),
  ]);
  expect(hintsOf(recording({ status: 'failed', endReason: 'something new' }))).toEqual([
    'The recording failed.',
  ]);
  expect(hintsOf(recording({ endReason: 'too_large', leftOut: 2 }))).toEqual([
    expect.stringContaining('the maximum size'),
    expect.stringContaining('2 may be missing'),
  ]);
});

it('labels the files of cameras and screens', () => {
  const label = (kind: Recording['kind'], isScreen: boolean) =>
    fileLabel({ kind }, { walletAddress: other, isScreen }, naming);
  expect([label('stream', false), label('stream', true)]).toEqual(['Download', 'Download the screen']);
  expect([label('call', false), label('call', true)]).toEqual(['Ben', 'Ben’s screen']);
  expect(fileLabel({ kind: 'call' }, { walletAddress: own, isScreen: true }, naming)).toBe('Your screen');
});
