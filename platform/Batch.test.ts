import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Batch } from './Batch.ts';

const log = pino({ level: 'silent' });

function createBatch(more: { everyMs?: number; size?: number; limit?: number; failures?: number } = {}) {
  const written: number[][] = [];
  const repeated: boolean[] = [];
  let failures = more.failures ?? 0;
  const batch = new Batch<number>({
    name: 'test',
    everyMs: 10,
    size: 3,
    limit: 10,
    log,
    ...more,
    write: (items, mayBeStored) => {
      if (failures-- > 0) return Promise.reject(new Error('no connection'));
      written.push(items);
      repeated.push(mayBeStored);
      return Promise.resolve();
    },
  });
  return { batch, written, repeated };
}
const until = async (done: () => boolean) => {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 5));
};

it('writes the items in order, in batches of the configured size', async () => {
  const { batch, written } = createBatch();
  for (let item = 0; item < 7; item++) batch.add(item);
  await until(() => written.length === 3);
  expect(written).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
});

it('writes a full batch immediately and otherwise waits for more items', async () => {
  const { batch, written } = createBatch({ everyMs: 60_000 });
  batch.add(0);
  batch.add(1);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(written).toEqual([]);
  batch.add(2);
  await until(() => written.length === 1);
  expect(written).toEqual([[0, 1, 2]]);
});

it('writes the remaining items on close', async () => {
  const { batch, written } = createBatch({ everyMs: 60_000 });
  batch.add(1);
  await batch.close();
  expect(written).toEqual([[1]]);
});

it('writes the items of a failed batch again, before later ones', async () => {
  const { batch, written } = createBatch({ failures: 2 });
  batch.add(1);
  await batch.flush();
  batch.add(2);
  await until(() => written.length === 1);
  expect(written).toEqual([[1, 2]]);
});

it('drops the oldest items above the limit', async () => {
  const { batch, written } = createBatch({ failures: 1, everyMs: 60_000, limit: 4, size: 10 });
  for (let item = 0; item < 6; item++) batch.add(item);
  await batch.flush();
  await batch.close();
  expect(written).toEqual([[2, 3, 4, 5]]);
});

it('says of which items a write has failed before', async () => {
  const { batch, written, repeated } = createBatch({ failures: 1, everyMs: 60_000, size: 2 });
  batch.add(1);
  await batch.flush();
  for (const item of [2, 3, 4]) batch.add(item);
  await batch.close();
  expect(written).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(repeated).toEqual([true, false]);
});

it('writes the others when the database refuses one, which is dropped', async () => {
  const written: number[][] = [];
  const dropped: number[] = [];
  const batch = new Batch<number>({
    ...{ name: 'test', everyMs: 60_000, size: 10, limit: 10, log },
    onDropped: (items) => dropped.push(...items),
    write: (items) => {
      if (items.includes(2)) return Promise.reject(Object.assign(new Error('refused'), { code: '22P05' }));
      written.push(items);
      return Promise.resolve();
    },
  });
  for (const item of [1, 2, 3]) batch.add(item);
  await batch.flush();
  batch.add(4);
  await batch.close();
  expect(written).toEqual([[1], [3], [4]]);
  expect(dropped).toEqual([2]);
});
