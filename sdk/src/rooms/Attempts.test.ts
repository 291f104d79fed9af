import { expect, it } from 'vitest';
import { Attempts } from './Attempts.ts';

/** Attempts of which each waits for its `end`. One that fails logs its number, unless a later one has succeeded. */
function begun(count: number) {
  const attempts = new Attempts();
  const log: number[] = [];
  const begin = (number: number) => {
    let end = (_succeeds: boolean) => {};
    const ended = new Promise<boolean>((resolve) => (end = resolve));
    const run = attempts.run('call_1', async (isReplaced) => {
      if ((await ended) || (await isReplaced())) return;
      log.push(number);
      throw new Error('failed');
    });
    return { end, over: run.catch(() => undefined) };
  };
  return { log, all: Array.from({ length: count }, (_, index) => begin(index + 1)) };
}

it.each([
  ['the later one first', [2, 1]],
  ['the earlier one first', [1, 2]],
])('ends what both attempts have entered if both fail, %s', async (_, order) => {
  const { log, all } = begun(2);
  for (const number of order) {
    all[number - 1]?.end(false);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all.map(({ over }) => over));
  expect(log.sort()).toEqual([1, 2]);
});

it.each([
  ['before', [2, 1, 3]],
  ['after', [1, 3, 2]],
])('does not end what a later attempt enters %s an earlier one fails', async (_, order) => {
  const { log, all } = begun(3);
  for (const number of order) {
    all[number - 1]?.end(number === 2);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all.map(({ over }) => over));
  expect(log).toEqual([3]);
});
