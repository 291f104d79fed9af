import { expect, it } from 'vitest';
import { ParleyError } from '../protocol/errors.ts';
import type { Connection } from './connection/Connection.ts';
import type { EventStream } from './connection/EventStream.ts';
import { Listeners } from './connection/Listeners.ts';
import { Groups } from './groups.ts';
import type { Notifications } from './notifications.ts';
import type { ParleyEvents } from './types.ts';

/* A real server's limit would take as many requests. Here the test itself answers. */

it('reports at once that a wallet creates too many groups', async () => {
  const refusal = new ParleyError('RATE_LIMIT_EXCEEDED', 'Too many groups.', { retryAfter: 3_600 });
  const connection = { request: () => Promise.reject(refusal) };
  const groups = new Groups(
    connection as unknown as Connection,
    { on: () => undefined } as unknown as EventStream,
    new Listeners<ParleyEvents>(),
    {} as Notifications,
  );
  await expect(groups.create({ name: 'Dinner' })).rejects.toBe(refusal);
});
