import { expect, it } from 'vitest';
import { Listeners } from './Listeners.ts';

type Events = { changed: number; other: string };

it('calls the handlers in order until they are removed', () => {
  const listeners = new Listeners<Events>();
  const received: string[] = [];
  const first = (value: number) => received.push(`first ${value}`);
  const remove = listeners.on('changed', first);
  listeners.on('changed', (value) => received.push(`second ${value}`));
  listeners.emit('changed', 1);
  remove();
  remove();
  listeners.emit('changed', 2);
  listeners.off('changed');
  listeners.emit('changed', 3);
  listeners.emit('other', 'no handler');
  expect(received).toEqual(['first 1', 'second 1', 'second 2']);
});

it('calls the other handlers when one throws, and reports the error as uncaught', async () => {
  const listeners = new Listeners<Events>();
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  try {
    const reported = new Promise((resolve) => process.once('uncaughtException', resolve));
    const received: number[] = [];
    listeners.on('changed', () => {
      throw new Error('mine');
    });
    listeners.on('changed', (value) => received.push(value));
    listeners.emit('changed', 1);
    expect(received).toEqual([1]);
    expect(await reported).toMatchObject({ message: 'mine' });
  } finally {
    for (const listener of before) process.on('uncaughtException', listener);
  }
});

it('allows handlers to be added and removed during an event', () => {
  const listeners = new Listeners<Events>();
  const received: number[] = [];
  const remove = listeners.on('changed', (value) => {
    received.push(value);
    remove();
    listeners.on('changed', (later) => received.push(later * 10));
  });
  listeners.emit('changed', 1);
  listeners.emit('changed', 2);
  expect(received).toEqual([1, 20]);
});
