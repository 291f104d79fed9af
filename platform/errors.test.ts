import fc from 'fast-check';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ParleyError } from '../sdk/protocol/errors.ts';
import { requests, type RequestName } from '../sdk/protocol/wire.ts';
import { toErrorBody, validationError } from './errors.ts';

describe('toErrorBody', () => {
  it('exposes nothing of an unexpected error', () => {
    for (const error of [
      new Error('s3cret'),
      's3cret',
      null,
      undefined,
      { code: 'NOT_FOUND', message: 's3cret' },
    ]) {
      const body = toErrorBody(error, 'req_1');
      expect(body).toMatchObject({ code: 'INTERNAL', requestId: 'req_1' });
      expect(JSON.stringify(body)).not.toContain('s3cret');
    }
  });

  it('exposes the code, reason, message, details, extra and retryAfter of a ParleyError, but not its cause', () => {
    const error = new ParleyError('CONFLICT', 'text', {
      reason: 'replaced',
      extra: { required: 1 },
      details: [{ path: 'a', code: 'b', message: 'c' }],
      retryAfter: 3,
      cause: new Error('s3cret'),
    });
    expect(toErrorBody(error, 'req_1')).toEqual({
      code: 'CONFLICT',
      reason: 'replaced',
      message: 'text',
      requestId: 'req_1',
      details: [{ path: 'a', code: 'b', message: 'c' }],
      extra: { required: 1 },
      retryAfter: 3,
    });
  });

  it('repeats the reason where the last release had it', () => {
    const refused = new ParleyError('CONFLICT', 'over', { reason: 'room_ended' });
    const detail = { path: 'roomId', code: 'room_ended', message: 'over' };
    expect(toErrorBody(refused, 'r')).toMatchObject({ reason: 'room_ended', details: [detail] });
    const extra = { missingRequirements: ['a', 'b'] };
    const gate = new ParleyError('ACCESS_DENIED', 'no', { reason: 'requirement_missing', extra });
    expect(toErrorBody(gate, 'r').details).toEqual(
      ['a', 'b'].map((message) => ({ path: 'gate', code: 'requirement_missing', message })),
    );
    expect(toErrorBody(new ParleyError('CONFLICT', 'no'), 'r')).not.toHaveProperty('details');
  });

  it('reports SERVICE_UNAVAILABLE for an outage', () => {
    const coded = (code: string, more = {}) => Object.assign(new Error('x'), { code, ...more });
    const outages = [
      coded('ECONNREFUSED'),
      // The name cannot be resolved, or there is no route.
      ...['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].map((code) => coded(code)),
      coded('57P03'),
      // A process that was frozen in a transaction.
      coded('25P03'),
      // Full disks: the database server's, and this server's.
      coded('53100'),
      coded('ENOSPC'),
      coded('ENOENT', { syscall: 'connect' }),
      new Error('Connection terminated unexpectedly'),
      new Error('timeout expired'),
    ];
    for (const cause of outages) {
      expect(toErrorBody(new DrizzleQueryError('q', [], cause), 'r')).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        retryAfter: 1,
      });
    }
    for (const cause of [coded('23505'), coded('ENOENT', { syscall: 'open' })])
      expect(toErrorBody(new DrizzleQueryError('q', [], cause), 'r').code).toBe('INTERNAL');
  });
});

describe('the message of a validation error', () => {
  it.each([
    ['conference.create', { name: '', maxParticipants: 5 }, 'name: must not be empty'],
    ['conference.create', { name: 'x', maxParticipants: 1 }, 'maxParticipants: must be 2 or more'],
    ['conference.create', { name: 'x', maxParticipants: 2.5 }, 'maxParticipants: must be a whole number'],
    [
      'conference.create',
      { name: 'x'.repeat(101), maxParticipants: 2 },
      'name: must have at most 100 characters',
    ],
    ['conference.get', {}, 'roomId: is required'],
    ['conference.get', { roomId: 5 }, 'roomId: must be text'],
    [
      'conference.get',
      { roomId: 'x' },
      'roomId: must be an id of the form room_… (room_ and 24 letters or digits)',
    ],
    ['conference.invite', { roomId: `room_${'0'.repeat(24)}`, addresses: 5 }, 'addresses: must be a list'],
    ['calls.start', { to: `0x${'00'.repeat(20)}`, type: 'smell' }, 'type: must be one of audio, video'],
    ['calls.getHistory', { from: 'yesterday' }, 'from: must be a time such as 2026-11-20T12:00:00.000Z'],
  ] as const)('explains the invalid value in %s (%j)', (name, payload, message) => {
    const { error } = z.safeParse(requests[name].request as z.ZodType, payload);
    expect(error && validationError(error).message).toBe(message);
  });
});

describe('a request schema', () => {
  const key = fc.oneof(
    fc.constantFrom('callId', 'to', 'type', 'id', 'scope', 'token', '__proto__', 'constructor'),
    fc.string(),
  );
  const anything = fc.anything({ key, withBigInt: false, maxDepth: 4 });

  it.each(Object.keys(requests))('%s never throws, and its errors are short', (name) => {
    const schema = requests[name as RequestName].request;
    fc.assert(
      fc.property(anything, (payload) => {
        const parsed = z.safeParse(schema, payload);
        if (parsed.success) return;
        const { code, message, details } = validationError(parsed.error);
        expect(['VALIDATION_ERROR', 'INVALID_ADDRESS']).toContain(code);
        expect(message.length).toBeLessThan(700);
        expect(details?.length).toBeLessThanOrEqual(10);
      }),
      { numRuns: 100 },
    );
  });
});
