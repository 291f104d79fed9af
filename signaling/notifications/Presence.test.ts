import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Address } from '../../sdk/protocol/common.ts';
import { Presence } from './Presence.ts';

/* A real database cannot be made to fail just when a device disconnects. */

it('removes the presence of a connection that ends during an outage of the database', async () => {
  const counted = new Set(['socket']);
  let isAway = true;
  const db = {
    execute: () => Promise.resolve({ rows: [{ socket_id: 'socket', wallet: 'wallet' }] }),
    delete: () => ({
      where: () => {
        if (isAway) return Promise.reject(new Error('the database is away'));
        counted.clear();
        return Promise.resolve();
      },
    }),
  };
  const io = { on: () => undefined, of: () => ({ sockets: counted }) };
  const [node, log] = [{ id: 'node' }, pino({ level: 'silent' })];
  const presence = new Presence({ db, io, node, isSingleNode: true, log } as unknown as ConstructorParameters<
    typeof Presence
  >[0]);
  await presence.onConnected('wallet' as Address, 'socket');
  await expect(presence.onDisconnected('socket')).rejects.toThrow('away');
  isAway = false;
  await presence.onDisconnected('socket');
  expect([...counted]).toEqual([]);
});
