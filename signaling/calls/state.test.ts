import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { next, type CallEvent } from './state.ts';

const ends = ['ended', 'missed', 'declined'] as const;
const anyEvent: fc.Arbitrary<CallEvent> = fc.oneof(
  fc.constantFrom<CallEvent>({ type: 'answer' }, { type: 'timeout' }, { type: 'fail' }, { type: 'move' }),
  fc.record({ type: fc.constant('decline' as const), reason: fc.string() }),
  fc.record({ type: fc.constant('end' as const), by: fc.constantFrom('caller' as const, 'callee' as const) }),
  fc.record({
    type: fc.constant('gone' as const),
    party: fc.constantFrom('caller' as const, 'callee' as const),
  }),
);

describe('call state transitions', () => {
  it.each([
    ['ringing', { type: 'answer' }, 'active', 'call:answered'],
    ['ringing', { type: 'decline', reason: 'busy' }, 'declined', 'call:declined'],
    ['ringing', { type: 'timeout' }, 'missed', 'call:missed'],
    ['ringing', { type: 'end', by: 'caller' }, 'missed', 'call:missed'],
    ['ringing', { type: 'gone', party: 'caller' }, 'missed', 'call:missed'],
    ['active', { type: 'end', by: 'caller' }, 'ended', 'call:ended'],
    ['active', { type: 'end', by: 'callee' }, 'ended', 'call:ended'],
    ['active', { type: 'gone', party: 'caller' }, 'ended', 'call:ended'],
    ['active', { type: 'gone', party: 'callee' }, 'ended', 'call:ended'],
    ['active', { type: 'move' }, 'ended', 'call:ended'],
  ] as const)('%s, on %j, becomes %s and emits %s', (from, event, to, name) => {
    expect(next(from, event)).toMatchObject({ status: to, event: name });
  });

  it.each([
    ['ringing', { type: 'end', by: 'callee' }],
    ['ringing', { type: 'gone', party: 'callee' }],
    ['ringing', { type: 'move' }],
    ['active', { type: 'answer' }],
    ['active', { type: 'decline', reason: 'late' }],
    ['active', { type: 'timeout' }],
  ] as const)('%s ignores %j', (from, event) => {
    expect(next(from, event)).toBeNull();
  });

  it('keeps the callee’s reason', () => {
    expect(next('ringing', { type: 'decline', reason: 'in a meeting' })?.endReason).toBe('in a meeting');
  });

  it('never answers twice or reopens an ended call, for any sequence of events', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
        let status: Parameters<typeof next>[0] = 'ringing';
        let answers = 0;
        for (const event of events) {
          const step = next(status, event);
          if (!step) continue;
          expect(ends).not.toContain(status);
          expect(step.status).not.toBe('ringing');
          if (step.status === 'active') answers++;
          status = step.status;
        }
        expect(answers).toBeLessThanOrEqual(1);
      }),
    );
  });
});
