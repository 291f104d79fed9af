import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { nothing } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { LimitFactory } from '../../platform/limits/Limits.ts';
import { memoryLimiters } from '../../platform/limits/limiters.ts';
import { answerError } from '../http/errors.ts';
import { RateLimits } from '../http/RateLimits.ts';
import { requestLog } from '../http/requestLog.ts';
import { route } from '../http/Route.ts';
import { mountRoutes, type MountOptions } from './mountRoutes.ts';

/** The statuses of five requests whose key cannot be read because of this error, where two requests without a valid key are allowed. */
async function statusesAfter(error: Error): Promise<number[]> {
  const perMinute = { auth: 2, reads: 10, writes: 10, uploads: 10, leaksearch: 10 };
  const row = route({ method: 'get', path: '/account', summary: '', response: nothing, handle: () => ({}) });
  const options = {
    routes: [row],
    limits: new RateLimits(perMinute, new LimitFactory(memoryLimiters)),
    keys: { authenticate: () => Promise.reject(error) },
    paidRequests: null,
    operators: new Set(),
  } as unknown as MountOptions;
  const app = express().set('trust proxy', 0);
  app.use(requestLog(app, pino({ level: 'silent' })), mountRoutes(options).router, answerError);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const statuses: number[] = [];
    for (let count = 0; count < 5; count++) {
      const headers = { Authorization: 'Bearer svc_live_x' };
      const reply = await fetch(`http://127.0.0.1:${port}/account`, { headers });
      expect(reply.headers.get('ratelimit-policy')).toBe('"auth";q=2;w=60');
      statuses.push(reply.status);
    }
    return statuses;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it('counts requests without a valid key, but not those that fail because of an outage', async () => {
  const wrong = new ParleyError('AUTHENTICATION_REQUIRED', 'wrong', { reason: 'invalid_api_key' });
  expect(await statusesAfter(wrong)).toEqual([401, 401, 429, 429, 429]);
  const outage = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  expect(await statusesAfter(outage)).toEqual([503, 503, 503, 503, 503]);
});
