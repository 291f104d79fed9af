import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { Catalogue } from './Catalogue.ts';
import { LoopbackEsims } from './LoopbackEsims.ts';

afterEach(() => {
  vi.useRealTimers();
});

const minuteMs = 60_000;

it('serves an outdated catalogue, and asks again a minute after the provider failed', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const provider = new LoopbackEsims(Buffer.alloc(32));
  const packages = vi.spyOn(provider, 'packages');
  const catalogue = new Catalogue(provider, pino({ level: 'silent' }));
  const all = await catalogue.all();
  vi.advanceTimersByTime(61 * minuteMs);
  packages.mockRejectedValueOnce(new Error('no answer'));
  expect([await catalogue.all(), await catalogue.all()]).toEqual([all, all]);
  expect(packages).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(2 * minuteMs);
  await catalogue.all();
  await catalogue.all();
  expect(packages).toHaveBeenCalledTimes(3);
});

it('asks again at once as long as it is empty', async () => {
  const provider = new LoopbackEsims(Buffer.alloc(32));
  vi.spyOn(provider, 'packages').mockRejectedValueOnce(new Error('no answer'));
  const catalogue = new Catalogue(provider, pino({ level: 'silent' }));
  await expect(catalogue.find('eu-1gb')).rejects.toThrow('no answer');
  expect(await catalogue.find('eu-1gb')).toMatchObject({ credits: 450 });
});
