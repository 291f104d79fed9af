import { pino } from 'pino';
import { expect, test } from 'vitest';
import { closeAll, type Closer } from './Closer.ts';

test('parts are closed in reverse order, and one that takes long is named in the log', async () => {
  const lines: { part: string; msg: string }[] = [];
  let goOn = () => {};
  const write = (line: string) => {
    lines.push(JSON.parse(line) as { part: string; msg: string });
    goOn();
  };
  const closers: Closer[] = [
    ['database', () => {}],
    ['jobs', () => new Promise<void>((resolve) => (goOn = resolve))],
    ['media', () => Promise.reject(new Error('lost'))],
  ];
  await closeAll(closers, pino({ level: 'debug' }, { write }), 1);
  expect(lines.map(({ part, msg }) => [part, msg])).toEqual([
    ['media', 'could not be closed'],
    ['jobs', 'takes long to close'],
    ['jobs', 'closed'],
    ['database', 'closed'],
  ]);
});
