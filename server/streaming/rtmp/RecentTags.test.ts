import {
  aac,
  audio,
  audioHeader,
  keyFrame,
  video,
  videoHeader,
  type AvPacket,
} from '../../../platform/internals/nodeMediaServer/flv.ts';
import { describe, expect, it } from 'vitest';
import { ByteBudget } from './ByteBudget.ts';
import { RecentTags } from './RecentTags.ts';

const between = 4;

function frame(flags: number, size = 1_000): AvPacket {
  return { codec_type: video, codec_id: 7, flags, dts: 0, pts: 0, size, data: Buffer.alloc(size) };
}

const begun = (budget: ByteBudget): RecentTags => {
  const tags = new RecentTags(budget);
  tags.add(frame(videoHeader, 10));
  return tags;
};

function addAll(tags: RecentTags, ...flags: number[]): void {
  for (const one of flags) tags.add(frame(one));
}

/** The number of kept tags, without the headers of the file and the video. */
const kept = (tags: RecentTags): number => tags.replay().length - 2;

describe('RecentTags', () => {
  it('shares one budget; beyond it, the largest holder drops its tags and waits for its next key frame', () => {
    const budget = new ByteBudget(6_000);
    const [long, short] = [begun(budget), begun(budget)];
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

  it('keeps no sound without pictures, which a new decoder would play again', () => {
    const budget = new ByteBudget(60_000);
    const tags = new RecentTags(budget);
    const sound = (flags: number) => ({ ...frame(flags), codec_type: audio, codec_id: aac });
    for (const flags of [audioHeader, 1, 1, 1]) tags.add(sound(flags));
    expect(tags.replay()).toHaveLength(2);
    expect(budget.held).toBe(0);
    tags.add(frame(videoHeader, 10));
    addAll(tags, keyFrame, between);
    tags.add(sound(1));
    expect(tags.replay()).toHaveLength(3 + 3);
  });

  it('keeps no pictures from before another header, but those from before the same one', () => {
    const budget = new ByteBudget(6_000);
    const tags = begun(budget);
    addAll(tags, keyFrame, between);
    tags.add({ ...frame(videoHeader, 10), dts: 40 });
    expect(kept(tags)).toBe(2);
    tags.add({ ...frame(videoHeader, 10), data: Buffer.alloc(10, 1) });
    addAll(tags, between);
    expect(kept(tags)).toBe(0);
    expect(budget.held).toBe(0);
    addAll(tags, keyFrame, between);
    expect(kept(tags)).toBe(2);
  });

  it('frees its share of the budget when a publisher has left', () => {
    const budget = new ByteBudget(6_000);
    const tags = begun(budget);
    addAll(tags, keyFrame, between);
    expect(budget.held).toBeGreaterThan(2_000);
    tags.close();
    expect(budget.held).toBe(0);
    expect(kept(tags)).toBe(0);
    addAll(tags, keyFrame);
    expect(budget.held).toBe(0);
  });
});
