import { describe, expect, it } from 'vitest';
import { VideoForm } from './VideoForm.ts';

const frameMs = 33;

function look(form: VideoForm, pictures: [dts: number, shownAfter: number, isKey?: boolean][]): void {
  for (const [dts, shownAfter, isKey = false] of pictures) form.look({ dts, shownAfter, isKey });
}

describe('a publisher’s pictures', () => {
  it('are copied when they come in the order they are shown in, also where all are shown later', () => {
    const form = new VideoForm();
    form.begin(Buffer.from([1, 100, 0, 31]));
    look(form, [
      [0, 66, true],
      [frameMs, 66],
      [2 * frameMs, 66],
    ]);
    expect(form.reason).toBeNull();
    expect(form.pictures).toBe(3);
  });

  it('are not, when some are shown before those they come after', () => {
    const form = new VideoForm();
    look(form, [
      [0, 66, true],
      [33, 132],
      [66, 33],
    ]);
    expect(form.reason).toBe('B-frames');
  });

  it('are not, when key frames are far apart', () => {
    const form = new VideoForm();
    look(form, [[0, 0, true]]);
    look(form, [[4_000, 0, true]]);
    look(form, [[8_200, 0]]);
    expect(form.reason).toBeNull();
    look(form, [[8_300, 0]]);
    expect(form.reason).toBe('long groups of pictures');
  });

  it('are not, in a profile that browsers can’t decode', () => {
    const form = new VideoForm();
    form.begin(Buffer.from([1, 244, 0, 31]));
    expect(form.reason).toBe('profile 244');
  });
});
