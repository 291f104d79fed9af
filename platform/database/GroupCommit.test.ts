import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GroupCommit, retryConflicts } from './GroupCommit.ts';

const sqlError = (code: string) => Object.assign(new Error(code), { code });

describe('GroupCommit', () => {
  it('writes items that arrive together as one group, one group at a time, in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(1_000), { maxLength: 30 }), { maxLength: 8 }),
        fc.integer({ min: 1, max: 20 }),
        async (bursts, size) => {
          const groups: number[][] = [];
          let writing = 0;
          const group = new GroupCommit<number, string>({
            size,
            async write(items) {
              expect(++writing).toBe(1);
              groups.push(items);
              await delay(0);
              writing--;
              return items.map(String);
            },
          });
          const results: Promise<string>[] = [];
          for (const burst of bursts) {
            results.push(...burst.map((item) => group.run(item)));
            await new Promise((resolve) => setImmediate(resolve));
          }
          const all = bursts.flat();
          expect(await Promise.all(results)).toEqual(all.map(String));
          expect(groups.flat()).toEqual(all);
          expect(groups.every(({ length }) => length > 0 && length <= size)).toBe(true);
        },
      ),
    );
  });

  it('fails only the item that cannot be stored', async () => {
    const group = new GroupCommit<string, string>({
      size: 10,
      write: (items) => (items.includes('bad') ? Promise.reject(sqlError('22021')) : Promise.resolve(items)),
    });
    const outcomes = await Promise.allSettled(['one', 'bad', 'two'].map((item) => group.run(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await group.run('three')).toBe('three');
  });

  it('collects items during the pause after a write', async () => {
    const groups: number[][] = [];
    const group = new GroupCommit<number, void>({
      size: 10,
      pauseMs: 300,
      write(items) {
        groups.push(items);
        return Promise.resolve([]);
      },
    });
    await group.run(1);
    const second = group.run(2);
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([second, group.run(3)]);
    expect(groups).toEqual([[1], [2, 3]]);
  });

  it('refuses items when too many are waiting', async () => {
    let finish = () => {};
    const group = new GroupCommit<number, number>({
      size: 1,
      maxWaiting: 2,
      write: async (items) => {
        await new Promise<void>((resolve) => (finish = resolve));
        return items;
      },
    });
    const [first, second] = [group.run(1), group.run(2)];
    await expect(group.run(3)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await new Promise((resolve) => setImmediate(resolve));
    // The first item is being written, so it no longer waits.
    const third = group.run(3);
    finish();
    expect(await first).toBe(1);
    for (const next of [second, third]) {
      await new Promise((resolve) => setImmediate(resolve));
      finish();
      await next;
    }
    expect(await Promise.all([second, third])).toEqual([2, 3]);
  });

  it('rejects the whole group while the database is down, and works again afterwards', async () => {
    let isDown = true;
    const group = new GroupCommit<string, string>({
      size: 10,
      write: (items) => (isDown ? Promise.reject(sqlError('57P01')) : Promise.resolve(items)),
    });
    const outcomes = await Promise.allSettled([group.run('one'), group.run('two')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isDown = false;
    expect(await group.run('three')).toBe('three');
  });
});

describe('retryConflicts', () => {
  const failing = (times: number, code: string) => {
    let runs = 0;
    return () => (runs++ < times ? Promise.reject(sqlError(code)) : Promise.resolve(runs));
  };

  it('runs a conflicting transaction again, up to four times', async () => {
    expect(await retryConflicts(failing(3, '40P01'))).toBe(4);
    await expect(retryConflicts(failing(5, '40P01'))).rejects.toThrow('40P01');
    await expect(retryConflicts(failing(1, '22021'))).rejects.toThrow('22021');
  });

  it('recognises a conflict when the driver’s error is wrapped', async () => {
    let runs = 0;
    const wrapped = () =>
      runs++ === 0
        ? Promise.reject(new Error('query failed', { cause: sqlError('23505') }))
        : Promise.resolve('stored');
    expect(await retryConflicts(wrapped)).toBe('stored');
  });
});
