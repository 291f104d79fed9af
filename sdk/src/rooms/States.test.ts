import { expect, it } from 'vitest';
import { States } from './States.ts';

const open = () => new States({ initial: { isOver: true, count: 0 }, isOver: ({ isOver }) => isOver });

it('gives the same object until the state changes, and calls listeners after each change', () => {
  const states = open();
  const state = states.observable('a');
  const seen: number[] = [];
  const listener = () => seen.push(state.get().count);
  const [stop, stopOther] = [state.subscribe(listener), state.subscribe(listener)];
  states.change('a', { isOver: false, count: 1 });
  states.change('b', { isOver: false, count: 7 });
  expect(state.get()).toBe(states.observable('a').get());
  expect(state.get().count).toBe(1);
  stop();
  stop();
  states.change('a', { count: 2 });
  stopOther();
  states.change('a', { count: 3 });
  expect(seen).toEqual([1, 1, 2]);
});

it('forgets what is over, except for the latest and for what is subscribed to', () => {
  const states = open();
  const stop = states.observable('first').subscribe(() => {});
  states.change('first', { count: 1 });
  for (let number = 0; number < 50; number++) states.change(`other ${number}`, { count: number + 1 });
  expect(states.get('first').count).toBe(1);
  expect(states.get('other 49').count).toBe(50);
  expect(states.get('other 29').count).toBe(0);
  stop();
  expect(states.get('first').count).toBe(0);
});

it('calls the other listeners when one throws, and reports the error as uncaught', async () => {
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  try {
    const reported = new Promise((resolve) => process.once('uncaughtException', resolve));
    const states = open();
    const state = states.observable('a');
    const seen: number[] = [];
    state.subscribe(() => {
      throw new Error('mine');
    });
    state.subscribe(() => seen.push(state.get().count));
    states.change('a', { count: 1 });
    expect(seen).toEqual([1]);
    expect(await reported).toMatchObject({ message: 'mine' });
  } finally {
    for (const listener of before) process.on('uncaughtException', listener);
  }
});
