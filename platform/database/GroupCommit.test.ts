import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GroupCommit, retried } from './GroupCommit.ts';

const sqlError = (code: string) => Object.assign(new Error(code), { code });

describe('a group commit', () => {
  it('writes at once what comes at once, one group at a time, each in its order', async () => {
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

  it('does not let one that can’t be stored take the others with it', async () => {
    const group = new GroupCommit<string, string>({
      size: 10,
      write: (items) => (items.includes('bad') ? Promise.reject(sqlError('22021')) : Promise.resolve(items)),
    });
    const outcomes = await Promise.allSettled(['one', 'bad', 'two'].map((item) => group.run(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await group.run('three')).toBe('three');
  });

  it('tells everybody when the database is away, and goes on when it is back', async () => {
    let isAway = true;
    const group = new GroupCommit<string, string>({
      size: 10,
      write: (items) => (isAway ? Promise.reject(sqlError('57P01')) : Promise.resolve(items)),
    });
    const outcomes = await Promise.allSettled([group.run('one'), group.run('two')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isAway = false;
    expect(await group.run('three')).toBe('three');
  });
});

describe('a transaction in whose way another was', () => {
  const failing = (times: number, code: string) => {
    let runs = 0;
    return () => (runs++ < times ? Promise.reject(sqlError(code)) : Promise.resolve(runs));
  };

  it('is run again, a few times', async () => {
    expect(await retried(failing(3, '40P01'))).toBe(4);
    await expect(retried(failing(5, '40P01'))).rejects.toThrow('40P01');
    await expect(retried(failing(1, '22021'))).rejects.toThrow('22021');
  });

  it('also where the driver’s error is wrapped', async () => {
    let runs = 0;
    const wrapped = () =>
      runs++ === 0
        ? Promise.reject(new Error('query failed', { cause: sqlError('23505') }))
        : Promise.resolve('stored');
    expect(await retried(wrapped)).toBe('stored');
  });
});
