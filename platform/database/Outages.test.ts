import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Executor } from './Executor.ts';
import { Outages } from './Outages.ts';

it('are over when the database has answered for a while', async () => {
  let isAway = false;
  const execute = () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve({ rows: [] }));
  const outages = new Outages({ execute } as unknown as Executor);
  expect(await outages.areOver(60_000)).toBe(true);
  isAway = true;
  await expect(outages.areOver(60_000)).rejects.toThrow('away');
  isAway = false;
  await delay(50);
  expect(await outages.areOver(60_000)).toBe(false);
  expect(await outages.areOver(40)).toBe(true);
});
