import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admission, type Standing } from './admission.ts';
import { next, type RoomEvent } from './state.ts';

describe('room state transitions', () => {
  it.each([
    ['waiting', { type: 'join' }, 'active', null],
    ['active', { type: 'join' }, 'active', null],
    ['waiting', { type: 'end' }, 'ended', 'ended'],
    ['active', { type: 'end' }, 'ended', 'ended'],
    ['waiting', { type: 'empty' }, 'ended', 'empty'],
    ['active', { type: 'empty' }, 'ended', 'empty'],
    ['active', { type: 'expire' }, 'ended', 'max_duration'],
  ] as const)('from %s, event %j leads to %s (end reason: %s)', (from, event, status, endReason) => {
    expect(next(from, event)).toEqual({ status, endReason });
  });

  it('never reopens an ended room, and never returns a room to waiting', () => {
    const types = ['join', 'end', 'empty', 'expire'] as const;
    const anyEvent: fc.Arbitrary<RoomEvent> = fc.constantFrom(...types).map((type) => ({ type }));
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 20 }), (events) => {
        let status: Parameters<typeof next>[0] = 'waiting';
        for (const event of events) {
          const step = next(status, event);
          if (!step) continue;
          expect(status).not.toBe('ended');
          expect(step.status).not.toBe('waiting');
          expect(step.endReason === null).toBe(step.status !== 'ended');
          status = step.status;
        }
      }),
    );
  });
});

describe('admission', () => {
  const anyRequest = fc.record({
    settings: fc.record({ locked: fc.boolean(), waitingRoom: fc.boolean() }),
    maxParticipants: fc.integer({ min: 2, max: 5 }),
    present: fc.integer({ min: 0, max: 5 }),
    isCreator: fc.boolean(),
    standing: fc.constantFrom<Standing | null>('present', 'waiting', 'away', 'removed', null),
    isInvited: fc.boolean(),
  });

  it('admits no wallet to a full room, no removed wallet, and no uninvited wallet past a lock or waiting room', () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        const verdict = admission(request);
        expect(verdict === 'return').toBe(request.standing === 'present');
        if (verdict === 'return') return;
        expect(verdict === 'removed').toBe(request.standing === 'removed');
        const isNamed = request.isCreator || request.isInvited;
        if (verdict === 'enter') {
          expect(request.present).toBeLessThan(request.maxParticipants);
          expect(isNamed || (!request.settings.locked && !request.settings.waitingRoom)).toBe(true);
        }
        if (verdict === 'wait' || verdict === 'locked') expect(isNamed).toBe(false);
        if (verdict === 'full') expect(request.present).toBeGreaterThanOrEqual(request.maxParticipants);
      }),
    );
  });
});
