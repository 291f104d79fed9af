import { expect, it, onTestFinished, vi } from 'vitest';
import { Addresses } from './addresses.ts';

it('signs a file for the configured time, and for its duration in addition', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const addresses = new Addresses({
    publicUrl: 'https://parley.example',
    keys: () => [Buffer.from('a key')],
    seconds: 3_600,
  });
  const recording = { id: 'med_1', objectKey: 'media/med_1', duration: 3 * 3_600 };
  for (const [file, seconds] of [
    [recording, 4 * 3_600],
    [{ ...recording, duration: null }, 3_600],
  ] as const) {
    const { searchParams } = new URL(addresses.sign(file));
    const query = {
      expires: String(searchParams.get('expires')),
      signature: String(searchParams.get('signature')),
    };
    const left = addresses.secondsLeft(file, query);
    expect(left).toBeGreaterThanOrEqual(seconds);
    expect(left).toBeLessThanOrEqual(seconds + 1_200);
  }
});
