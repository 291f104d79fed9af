import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { types } from 'mediasoup';
import { startWorker } from '../worker/startWorker.ts';
import { workerBinary } from '../worker/workerBinary.mjs';
import { killWhenHung } from './killWhenHung.ts';

const periodMs = 100;
let worker: types.Worker;

beforeEach(async () => {
  worker = await startWorker(workerBinary());
  killWhenHung(worker, pino({ level: 'silent' }), periodMs);
});
afterEach(() => worker.close());

it('kills a worker that no longer answers, which then counts as dead', async () => {
  const died = once(worker, 'died');
  process.kill(worker.pid, 'SIGSTOP');
  await died;
  expect(worker.closed).toBe(true);
});

it('leaves a worker alone that answers, also one that has paused', async () => {
  process.kill(worker.pid, 'SIGSTOP');
  await delay(periodMs);
  process.kill(worker.pid, 'SIGCONT');
  await delay(20 * periodMs);
  expect(worker.closed).toBe(false);
  await worker.getResourceUsage();
});
