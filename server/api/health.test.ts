import { pino } from 'pino';
import { expect, it } from 'vitest';
import { isReady } from './health.ts';

it('logs when a check begins to fail and when it passes again, but not every time', async () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg);
  const log = pino({}, { write });
  let isFull = true;
  const disk = () => (isFull ? Promise.reject(new Error('full')) : Promise.resolve());
  for (let asked = 0; asked < 3; asked++) expect(await isReady({ disk }, log)).toBe(false);
  isFull = false;
  for (let asked = 0; asked < 3; asked++) expect(await isReady({ disk }, log)).toBe(true);
  isFull = true;
  await isReady({ disk }, log);
  const failed = 'readiness check failed';
  expect(lines).toEqual([failed, 'readiness check passes again', failed]);
});
