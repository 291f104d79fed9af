import { describe, expect, it } from 'vitest';
import type { Source } from '../../sdk/protocol/media.ts';
import { SendingSources } from './SendingSources.ts';

const counts = (packets: Partial<Record<Source, number>>) =>
  Object.entries(packets).map(([source, count]) => ({ source: source as Source, packets: count }));

describe('what somebody sends', () => {
  it('is what comes of it, once that has been the same for a moment', () => {
    const sources = new SendingSources();
    sources.claim(new Set(['microphone']), 0);
    expect(sources.count(counts({ microphone: 5 }), 0)).toBeNull();
    sources.claim(new Set(['microphone', 'camera']), 500);
    expect(sources.count(counts({ microphone: 30, camera: 0 }), 500)).toBeNull();
    expect(sources.count(counts({ microphone: 60, camera: 20 }), 1_000)).toBeNull();
    const settled = sources.count(counts({ microphone: 90, camera: 60 }), 1_300);
    expect(settled).toEqual(new Set(['microphone', 'camera']));
  });

  it('is not what stays silent, until that comes', () => {
    const sources = new SendingSources();
    sources.claim(new Set(['microphone', 'camera']), 0);
    sources.count(counts({ microphone: 5, camera: 40 }), 0);
    expect(sources.count(counts({ microphone: 30, camera: 40 }), 500)).toBeNull();
    expect(sources.count(counts({ microphone: 80, camera: 40 }), 1_500)).toEqual(new Set(['microphone']));
    const both = new Set(['microphone', 'camera']);
    expect(sources.count(counts({ microphone: 99, camera: 41 }), 2_000)).toEqual(both);
    // Packets may stand still for a moment, and not for longer.
    expect(sources.count(counts({ microphone: 120, camera: 41 }), 4_900)).toEqual(both);
    expect(sources.count(counts({ microphone: 140, camera: 41 }), 5_100)).toBeNull();
    expect(sources.count(counts({ microphone: 160, camera: 41 }), 6_000)).toEqual(new Set(['microphone']));
  });

  it('is counted anew after a while in which nobody looked', () => {
    const sources = new SendingSources();
    sources.claim(new Set(['camera']), 0);
    sources.count(counts({ camera: 1 }), 0);
    sources.forget();
    // They may have come long ago.
    expect(sources.count(counts({ camera: 1_000 }), 60_000)).toEqual(new Set());
    expect(sources.count(counts({ camera: 1_010 }), 60_500)).toEqual(new Set(['camera']));
  });
});
