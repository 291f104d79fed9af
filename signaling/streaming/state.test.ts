import { expect, it } from 'vitest';
import { streamStatus } from '../../sdk/protocol/streaming.ts';
import { next, type StreamEvent } from './state.ts';

const events = ['flows', 'end', 'gone'] as const satisfies StreamEvent['type'][];

it('changes only from idle to live to ended', () => {
  const table = streamStatus.options.map((status) => [
    status,
    ...events.map((type) => {
      const step = next(status, { type });
      return step && [step.status, step.endReason];
    }),
  ]);
  expect(table).toEqual([
    ['idle', ['live', null], ['ended', 'ended'], null],
    ['live', ['live', null], ['ended', 'ended'], ['ended', 'gone']],
    ['ended', null, null, null],
  ]);
});
