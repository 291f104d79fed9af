import type { Recording } from '@parley/sdk';
import { expect, it } from 'vitest';
import { factsOf, fileLabel, hintsOf, titleOf } from './describeRecording.ts';

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

it('labels a recording by its title, or by its kind if it has none', () => {
  expect([titleOf(recording({})), titleOf(recording({ title: '', kind: 'call' }))]).toEqual([
    'Friday',
    'Call',
  ]);
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
  const walletAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' as const;
  const label = (kind: Recording['kind'], isScreen: boolean) =>
    fileLabel({ kind }, { walletAddress, isScreen }, null);
  expect([label('stream', false), label('stream', true)]).toEqual(['Download', 'Download the screen']);
  expect([label('call', false), label('call', true)]).toEqual(['0x7099…79C8', '0x7099…79C8’s screen']);
  const own = { walletAddress, isScreen: true } as const;
  expect(fileLabel({ kind: 'call' }, own, walletAddress)).toBe('Your screen');
});
