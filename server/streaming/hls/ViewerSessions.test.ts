import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { onlyKey } from '../../../platform/keys.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { StreamGateway } from '../../../signaling/streaming/StreamGateway.ts';
import { ViewerSessions } from './ViewerSessions.ts';

const outage = Object.assign(new Error('no database'), { code: 'ECONNREFUSED' });
const refusal = new ParleyError('ACCESS_DENIED', 'The host has banned you.');
let answers: { resolve: (peer: never) => void; reject: (error: unknown) => void }[];
let sessions: ViewerSessions;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  answers = [];
  const watching = () => new Promise<never>((resolve, reject) => answers.push({ resolve, reject }));
  sessions = new ViewerSessions({ watching } as unknown as StreamGateway, onlyKey(Buffer.alloc(32, 1)));
});
afterEach(() => {
  sessions.close();
  vi.useRealTimers();
});

const viewer = { playbackId: 'play', streamId: 'str', watchingId: 'one', viewer: 'a', walletAddress: null };
const renew = () => sessions.renew({ ...viewer, discontinuities: 0 }, null);
const later = () => vi.advanceTimersByTime(11_000);
/** A viewer whose first report was answered, and whose next one is under way. */
async function known() {
  const first = renew();
  answers[0]?.resolve({} as never);
  await first;
  await renew();
  expect(answers).toHaveLength(1);
  later();
  await renew();
  expect(answers).toHaveLength(2);
}

it('lets a known viewer go on while the database is away, and reports again', async () => {
  await known();
  answers[1]?.reject(outage);
  await renew();
  later();
  await renew();
  expect(answers).toHaveLength(3);
});

it('refuses a viewer after a report that is refused', async () => {
  await known();
  answers[1]?.reject(refusal);
  await new Promise(setImmediate);
  const next = renew();
  answers[2]?.reject(refusal);
  await expect(next).rejects.toBe(refusal);
});

it('admits no new viewer while the database is away', async () => {
  const first = renew();
  answers[0]?.reject(outage);
  await expect(first).rejects.toBe(outage);
  const next = renew();
  answers[1]?.resolve({} as never);
  await next;
});

it('reports on after the clock was set back', async () => {
  const first = renew();
  answers[0]?.resolve({} as never);
  await first;
  vi.setSystemTime(Date.now() - 3_600_000);
  later();
  await renew();
  expect(answers).toHaveLength(2);
});
