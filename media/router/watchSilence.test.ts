import { EventEmitter } from 'node:events';
import type { types } from 'mediasoup';
import { expect, it } from 'vitest';
import { until } from '../../test/harness/until.ts';
import { watchSilence } from './watchSilence.ts';

const times = { periodMs: 10, silenceMs: 50 };

function open() {
  const observer = new EventEmitter();
  const state = { iceState: 'new', bytesReceived: 0, reads: 0, silent: 0 };
  const transport = {
    observer,
    get iceState() {
      return state.iceState;
    },
    getStats: () => Promise.resolve([{ bytesReceived: (state.bytesReceived += ++state.reads < 20 ? 1 : 0) }]),
  };
  watchSilence(transport as unknown as types.WebRtcTransport, () => state.silent++, times);
  return { state, observer };
}

it('tells once that nothing arrives any more, and not before the transport is connected', async () => {
  const { state } = open();
  const other = open();
  other.state.iceState = 'completed';
  await until(() => other.state.silent === 1, 'the connected one is silent');
  // Twenty readings brought something.
  expect(other.state.reads).toBeGreaterThan(20);
  expect(state).toMatchObject({ reads: 0, silent: 0 });
  const { reads } = other.state;
  state.iceState = 'connected';
  await until(() => state.silent === 1, 'the other one, too');
  expect(other.state).toMatchObject({ reads, silent: 1 });
});

it('ends with the transport', async () => {
  const closed = open();
  const other = open();
  for (const { state } of [closed, other]) state.iceState = 'connected';
  closed.observer.emit('close');
  await until(() => other.state.silent === 1, 'the other one is silent');
  expect(closed.state.silent).toBe(0);
});
