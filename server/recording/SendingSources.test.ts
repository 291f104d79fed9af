import { describe, expect, it } from 'vitest';
import type { Source } from '../../sdk/protocol/media.ts';
import { SendingSources } from './SendingSources.ts';

const counts = (packets: Partial<Record<Source, number>>) =>
  Object.entries(packets).map(([source, count]) => ({ source: source as Source, packets: count }));
const both = new Set(['microphone', 'camera'] as const);

describe('the sources a participant sends', () => {
  it('are settled once they have stayed the same for a moment', () => {
    const sources = new SendingSources();
    sources.claim(new Set(['microphone']), 1_000);
    sources.claim(both, 1_500);
    expect(sources.isSettled(2_000)).toBe(false);
    sources.claim(new Set(both), 2_100);
    expect(sources.isSettled(2_200)).toBe(true);
  });

  it('exclude sources without packets until packets arrive', () => {
    const sources = new SendingSources();
    sources.claim(both, 0);
    expect(sources.count(counts({ microphone: 5, camera: 40 }), 0)).toEqual(new Set());
    expect(sources.count(counts({ microphone: 30, camera: 40 }), 500)).toEqual(new Set(['microphone']));
    expect(sources.count(counts({ microphone: 60, camera: 41 }), 1_000)).toEqual(both);
    // A short gap between packets is tolerated, a longer one is not.
    expect(sources.count(counts({ microphone: 90, camera: 41 }), 3_900)).toEqual(both);
    expect(sources.count(counts({ microphone: 99, camera: 41 }), 4_100)).toEqual(new Set(['microphone']));
  });

  it('exclude sources that are not claimed', () => {
    const sources = new SendingSources();
    sources.claim(new Set(['microphone']), 0);
    sources.count(counts({ microphone: 1, camera: 1 }), 0);
    expect(sources.count(counts({ microphone: 2, camera: 2 }), 500)).toEqual(new Set(['microphone']));
  });

  it('start from a new first count after forget()', () => {
    const sources = new SendingSources();
    sources.claim(new Set(['camera']), 0);
    sources.count(counts({ camera: 1 }), 0);
    sources.forget();
    // These packets may be old.
    expect(sources.count(counts({ camera: 1_000 }), 60_000)).toEqual(new Set());
    expect(sources.count(counts({ camera: 1_010 }), 60_500)).toEqual(new Set(['camera']));
  });
});
