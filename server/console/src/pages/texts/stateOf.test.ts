import type { TextMessage } from '@parley/sdk';
import { expect, it } from 'vitest';
import { stateOf } from './stateOf.ts';

const text = (more: Partial<TextMessage>) =>
  ({ direction: 'outbound', errorCode: null, errorMessage: null, ...more }) as TextMessage;

it('labels the delivery state of a text', () => {
  expect(stateOf(text({ status: 'delivered' }))).toEqual({ label: 'delivered', why: null });
  expect(stateOf(text({ direction: 'inbound', status: 'received' })).label).toBe('');
});

it('explains a failed delivery', () => {
  const failed = text({ status: 'failed', errorCode: 'unreachable', errorMessage: 'The phone is off.' });
  expect(stateOf(failed)).toEqual({ label: 'not delivered', why: 'The phone is off.' });
  expect(stateOf(text({ status: 'failed', errorCode: 'unknown_outcome' })).label).toBe('status unknown');
});
