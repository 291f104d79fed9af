import { keyFrame, video, type AvPacket } from '../../../platform/internals/nodeMediaServer/flv.ts';
import { describe, expect, it } from 'vitest';
import { ByteBudget } from './ByteBudget.ts';
import { RecentTags } from './RecentTags.ts';

const between = 4;

function frame(flags: number, size = 1_000): AvPacket {
  return { codec_type: video, codec_id: 7, flags, dts: 0, pts: 0, size, data: Buffer.alloc(size) };
}

function addAll(tags: RecentTags, ...flags: number[]): void {
  for (const one of flags) tags.add(frame(one));
}

/** The number of kept tags, without the file header. */
const kept = (tags: RecentTags): number => tags.replay().length - 1;

describe('RecentTags', () => {
  it('shares one budget; beyond it, the largest holder drops its tags and waits for its next key frame', () => {
    const budget = new ByteBudget(6_000);
    const [long, short] = [new RecentTags(budget), new RecentTags(budget)];
    addAll(long, keyFrame, between, between, between);
    addAll(short, keyFrame);
    expect([kept(long), kept(short)]).toEqual([4, 1]);
    // This reaches six thousand bytes, plus the overhead of each tag.
    addAll(short, between);
    expect([kept(long), kept(short)]).toEqual([0, 2]);
    addAll(long, between);
    expect(kept(long)).toBe(0);
    addAll(long, keyFrame, between);
    expect([kept(long), kept(short)]).toEqual([2, 2]);
    expect(budget.held).toBeLessThanOrEqual(6_000);
  });

  it('frees its share of the budget when a publisher has left', () => {
    const budget = new ByteBudget(6_000);
    const tags = new RecentTags(budget);
    addAll(tags, keyFrame, between);
    expect(budget.held).toBeGreaterThan(2_000);
    tags.close();
    expect(budget.held).toBe(0);
    expect(kept(tags)).toBe(0);
    addAll(tags, keyFrame);
    expect(budget.held).toBe(0);
  });
});
