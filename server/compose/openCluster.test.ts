import { expect, it } from 'vitest';
import { drain } from './openCluster.ts';

/* A real database cannot be made to fail just when a node drains. */

it('goes on waiting for the rooms of the node if the database fails while it drains', async () => {
  const away = () => Promise.reject(new Error('the database is away'));
  const answers = [
    away,
    away,
    () => Promise.resolve(new Map([['room', 1]])),
    () => Promise.resolve(new Map()),
  ];
  const registry = { id: 'node', living: [{ id: 'other', roles: ['media'], draining: false }], drain: away };
  const owners = { of: () => (answers.shift() ?? away)() };
  await drain(registry as never, owners, { connectedPeers: 0, host: { routers: [] } } as never, 60_000);
  expect(answers).toEqual([]);
});
