import { expect, it } from 'vitest';
import { Listeners } from './Listeners.ts';

type Events = { told: number; other: string };

it('tells everybody, in order, until they are removed', () => {
  const listeners = new Listeners<Events>();
  const heard: string[] = [];
  const first = (value: number) => heard.push(`first ${value}`);
  const remove = listeners.on('told', first);
  listeners.on('told', (value) => heard.push(`second ${value}`));
  listeners.emit('told', 1);
  remove();
  remove();
  listeners.emit('told', 2);
  listeners.off('told');
  listeners.emit('told', 3);
  listeners.emit('other', 'nobody listens');
  expect(heard).toEqual(['first 1', 'second 1', 'second 2']);
});

it('tells the others when one throws, and reports the error as uncaught', async () => {
  const listeners = new Listeners<Events>();
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  try {
    const reported = new Promise((resolve) => process.once('uncaughtException', resolve));
    const heard: number[] = [];
    listeners.on('told', () => {
      throw new Error('mine');
    });
    listeners.on('told', (value) => heard.push(value));
    listeners.emit('told', 1);
    expect(heard).toEqual([1]);
    expect(await reported).toMatchObject({ message: 'mine' });
  } finally {
    for (const listener of before) process.on('uncaughtException', listener);
  }
});

it('may change while it tells', () => {
  const listeners = new Listeners<Events>();
  const heard: number[] = [];
  const remove = listeners.on('told', (value) => {
    heard.push(value);
    remove();
    listeners.on('told', (later) => heard.push(later * 10));
  });
  listeners.emit('told', 1);
  listeners.emit('told', 2);
  expect(heard).toEqual([1, 20]);
});
