import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Address } from '../../sdk/protocol/common.ts';
import { Presence } from './Presence.ts';

/* A real database cannot be made to fail just when a device disconnects. */

/** A connection that is counted, on a database that is away until the test changes that. */
async function counted() {
  const rows = new Set(['socket']);
  const outage = { isOver: false };
  const db = {
    execute: () => Promise.resolve({ rows: [{ socket_id: 'socket', wallet: 'wallet' }] }),
    delete: () => ({
      where: () => {
        if (!outage.isOver) return Promise.reject(new Error('the database is away'));
        rows.clear();
        return Promise.resolve();
      },
    }),
  };
  const io = { on: () => undefined, of: () => ({ sockets: rows }) };
  const [node, log] = [{ id: 'node' }, pino({ level: 'silent' })];
  const presence = new Presence({ db, io, node, isSingleNode: true, log } as unknown as ConstructorParameters<
    typeof Presence
  >[0]);
  await presence.onConnected('wallet' as Address, 'socket');
  return { presence, rows, outage };
}

it('removes the presence of a connection that ends during an outage of the database', async () => {
  const { presence, rows, outage } = await counted();
  await expect(presence.onDisconnected('socket')).rejects.toThrow('away');
  outage.isOver = true;
  await presence.onDisconnected('socket');
  expect([...rows]).toEqual([]);
});

it('removes it later if the outage was so long that nobody tries again', async () => {
  const { presence, rows, outage } = await counted();
  await expect(presence.onDisconnected('socket')).rejects.toThrow('away');
  outage.isOver = true;
  await presence.sweep(() => true);
  expect([...rows]).toEqual(['socket']);
  await presence.sweep(() => false);
  expect([...rows]).toEqual([]);
});
