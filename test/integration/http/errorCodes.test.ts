import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Parley } from '../../../sdk/src/Parley.ts';
import {
  defaultReasons,
  errorCodes,
  type ErrorCode,
  type ParleyError,
} from '../../../sdk/protocol/errors.ts';
import type { Reason } from '../../../sdk/protocol/reasons.ts';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { freePorts } from '../../harness/nodes/ports.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';

let harness: OneNode;
let alice: TestClient;
let bob: TestClient;

beforeAll(async () => {
  harness = await oneNode({ RATE_LIMIT_CALLS: '2' });
  [alice, bob] = [await harness.client(), await harness.client()];
});

afterAll(() => harness?.close());

/** A call through the SDK that fails with each code. */
const cases: Partial<Record<ErrorCode, () => Promise<unknown>>> = {
  INVALID_ADDRESS: () => alice.parley.calls.start({ to: '0x12', type: 'audio' }),
  NETWORK_ERROR: async () => {
    const offline = new Parley({ apiKey: '', baseUrl: `http://127.0.0.1:${await freePorts()}` });
    return offline.signIn(alice.account);
  },
  AUTHENTICATION_REQUIRED: () => new Parley({ apiKey: '', baseUrl: harness.url() }).calls.getActive(),
  RATE_LIMIT_EXCEEDED: async () => {
    const client = await harness.client();
    for (;;) await client.parley.calls.start({ to: bob.address, type: 'audio' });
  },
  VALIDATION_ERROR: () => alice.parley.calls.getHistory({ limit: 1_000 }),
  NOT_FOUND: () => alice.parley.calls.end(`call_${'0'.repeat(24)}`),
  CONFLICT: async () => {
    const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await alice.parley.calls.end(id);
    await alice.parley.calls.end(id);
  },
  ROOM_FULL: async () => {
    const room = await alice.parley.conference.create({ name: 'For two', maxParticipants: 2 });
    for (let guests = 0; guests < 3; guests++) {
      const guest = await harness.client();
      await guest.parley.conference.join(room.id);
    }
  },
  ACCESS_DENIED: async () => {
    const settings = { locked: true };
    const room = await alice.parley.conference.create({ name: 'Locked', maxParticipants: 2, settings });
    await bob.parley.conference.join(room.id);
  },
  SERVICE_UNAVAILABLE: () =>
    // Longer than a key's signature, so it must be a contract's, and no chain is configured to verify it.
    bob.parley.signIn({ address: bob.address, signMessage: () => Promise.resolve(`0x${'ab'.repeat(100)}`) }),
};

/** The reasons of those that have a more specific one than their code. */
const reasons: Partial<Record<ErrorCode, Reason>> = { ACCESS_DENIED: 'room_locked', CONFLICT: 'call_over' };

/** Codes tested in other files, for example PERMISSION_DENIED in Chromium. */
const testedInOtherFiles: ErrorCode[] = [
  'PERMISSION_DENIED',
  'INSUFFICIENT_BALANCE',
  'MISSING_SCOPE',
  'INTERNAL',
];

describe('every error code', () => {
  it('has a test', () => {
    expect([...Object.keys(cases), ...testedInOtherFiles].sort()).toEqual([...errorCodes].sort());
  });

  it.each(Object.keys(cases) as ErrorCode[])('%s', async (code) => {
    const error = (await cases[code]?.().catch((thrown: unknown) => thrown)) as ParleyError;
    expect(error).toMatchObject({ name: 'ParleyError', code, reason: reasons[code] ?? defaultReasons[code] });
    expect(error.message).not.toBe('');
    // These never reach the server, so they have no request id.
    if (code !== 'NETWORK_ERROR' && code !== 'AUTHENTICATION_REQUIRED')
      expect(error.requestId).toMatch(/^req_/);
  });
});
