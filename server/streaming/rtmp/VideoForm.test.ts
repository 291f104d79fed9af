import { describe, expect, it } from 'vitest';
import { VideoForm } from './VideoForm.ts';

const frameMs = 33;

function inspectAll(form: VideoForm, frames: [dts: number, shownAfter: number, isKey?: boolean][]): void {
  for (const [dts, shownAfter, isKey = false] of frames) form.inspect({ dts, shownAfter, isKey });
}

describe('a publisher’s video', () => {
  it('is copied if frames arrive in display order, even with a constant delay', () => {
    const form = new VideoForm();
    form.begin(Buffer.from([1, 100, 0, 31]));
    inspectAll(form, [
      [0, 66, true],
      [frameMs, 66],
      [2 * frameMs, 66],
    ]);
    expect(form.reason).toBeNull();
    expect(form.frames).toBe(3);
  });

  it('is encoded if it has B-frames', () => {
    const form = new VideoForm();
    inspectAll(form, [
      [0, 66, true],
      [33, 132],
      [66, 33],
    ]);
    expect(form.reason).toBe('B-frames');
  });

  it('is copied if the clock of the publisher starts again, and encoded if it has B-frames after that', () => {
    const form = new VideoForm();
    inspectAll(form, [
      [2 ** 32 - frameMs, 66, true],
      [0, 66],
      [frameMs, 66],
      [0, 66, true],
    ]);
    inspectAll(form, [[4_200, 66]]);
    expect(form.reason).toBeNull();
    inspectAll(form, [[4_233, 0]]);
    expect(form.reason).toBe('B-frames');
  });

  it('is copied if the clock of the publisher jumps within a group', () => {
    const form = new VideoForm();
    inspectAll(form, [
      [0, 66, true],
      [frameMs, 66],
      [3_600_000, 66],
      [3_604_000, 66, true],
    ]);
    expect(form.reason).toBeNull();
  });

  it('is encoded if key frames are far apart', () => {
    const form = new VideoForm();
    inspectAll(form, [[0, 0, true]]);
    inspectAll(form, [[4_000, 0, true]]);
    inspectAll(form, [[8_200, 0]]);
    expect(form.reason).toBeNull();
    inspectAll(form, [[8_300, 0]]);
    expect(form.reason).toBe('long groups of pictures');
  });

  it('is encoded if browsers cannot decode its profile', () => {
    const form = new VideoForm();
    form.begin(Buffer.from([1, 244, 0, 31]));
    expect(form.reason).toBe('profile 244');
  });
});
