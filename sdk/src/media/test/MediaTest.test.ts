import { expect, it } from 'vitest';
import { ParleyError } from '../../../protocol/errors.ts';
import { MediaTest } from './MediaTest.ts';
import type { MediaTestOptions } from './mediaTestTypes.ts';

/** A test without devices, in a runtime whose server answers with an error. */
const run = (device: object, error: Error, options: MediaTestOptions = {}) =>
  new MediaTest({ connection: { welcome: () => Promise.reject(error) }, device } as never, {
    devices: false,
    ...options,
  }).run();
const silence = new ParleyError('NETWORK_ERROR', 'No answer.');

it('blames the browser if it has no WebRTC, and the network if the server does not answer', async () => {
  const { level, findings } = await run({ isAvailable: false }, silence);
  expect(level).toBe('error');
  expect(findings[1]).toMatchObject({ check: 'connection', level: 'error' });
  const alone = await run({ isAvailable: true }, silence);
  expect(alone.findings[1]).toMatchObject({ check: 'websocket', level: 'error' });
});

it('rejects with errors that say nothing about the network', async () => {
  const connection = {
    welcome: () => Promise.resolve({ rtpCapabilities: {} }),
    request: () => Promise.resolve({ testId: 'test' }),
  };
  const device = { isAvailable: true, prepare: () => Promise.resolve({}) };
  const seen: string[] = [];
  const test = new MediaTest({ connection, device } as never, {
    devices: false,
    onFinding({ check }) {
      seen.push(check);
      if (check === 'websocket') throw new Error('The app has failed.');
    },
  });
  await expect(test.run()).rejects.toThrow('The app has failed.');
  expect(seen).toEqual(['secure-context', 'websocket']);
});
