import { expect, it } from 'vitest';
import { oneAtATime } from './oneAtATime.ts';

it('runs a task once more if it is asked for while it runs, and tasks of other keys at the same time', async () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = oneAtATime((key: string) => {
    begun.push(key);
    return new Promise<void>((resolve) => ends.push(resolve));
  });
  const endNext = async () => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (let times = 0; times < 5; times++) ask('a');
  ask('b');
  expect(begun).toEqual(['a', 'b']);
  await endNext();
  expect(begun).toEqual(['a', 'b', 'a']);
  await endNext();
  await endNext();
  expect(begun).toEqual(['a', 'b', 'a']);
  ask('a');
  expect(begun).toEqual(['a', 'b', 'a', 'a']);
});
