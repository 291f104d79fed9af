import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { Recipient } from '../../../sdk/protocol/group.ts';
import type { Address } from '../../../sdk/protocol/common.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { conversationId } from '../../../signaling/messages/conversationId.ts';
import { MessageWriter } from '../../../signaling/messages/MessageWriter.ts';
import { groupOf } from '../../scenarios/groups.ts';
import { twoNodes } from '../../harness/nodes/Cluster.ts';
import { oneNode, type Harness } from '../../harness/nodes/Harness.ts';

/*
 * A server that dies after storing a message but before notifying the devices. The test stores the message with the server's own
 * writer, which sends no events. To all devices it looks as if a node had died at that moment.
 */

let harness: Harness | null = null;

afterEach(() => harness?.close());

async function storeWithoutEvents(
  client: pg.ClientConfig,
  from: Address,
  to: Recipient,
  content = 'stored only',
): Promise<void> {
  const pool = new pg.Pool(client);
  const db = drizzle({ client: pool });
  const writer = new MessageWriter({ db, pool, jobs: new ScheduledJobs(db, pino({ level: 'silent' })) });
  const stored = await writer.store({
    id: newId('msg'),
    conversation: conversationId(from, to),
    sender: from,
    recipient: to,
    type: 'text',
    content,
    mediaId: null,
    replyTo: null,
  });
  expect(stored).toMatchObject({ received: [{ sequence: expect.any(Number) as number }] });
  await pool.end();
}

describe('kill -9 between storing a message and notifying devices', () => {
  it('loses nothing on one node, because reconnecting devices catch up', async () => {
    const one = await oneNode();
    harness = one;
    const [alice, bob] = [await one.client(), await one.client()];
    const database = { host: `${one.server.dataDir}/postgres`, user: 'postgres', database: 'postgres' };
    await storeWithoutEvents(database, alice.address, bob.address);
    const group = await groupOf(alice, bob);
    await storeWithoutEvents(database, alice.address, group.id, 'stored in the group');
    await one.server.kill();
    await one.server.start();
    expect(await bob.event('message:received')).toMatchObject({ content: 'stored only' });
    expect(await alice.event('message:sent')).toMatchObject({ content: 'stored only' });
    await alice.event('message:delivered');
    const { timestamp } = await bob.event(
      'message:received',
      ({ content }) => content === 'stored in the group',
    );
    await alice.event('message:delivered', ({ allDeliveredUntil = 0 }) => allDeliveredUntil >= timestamp);
  });

  it('loses nothing on two nodes, because the living node asks its devices to catch up', async () => {
    const two = await twoNodes();
    harness = two;
    const [dying, living] = two.nodes as [(typeof two.nodes)[number], (typeof two.nodes)[number]];
    const alice = await two.clientOn(dying);
    const bob = await two.clientOn(living);
    await storeWithoutEvents({ connectionString: two.postgres.url }, alice.address, bob.address);
    expect(bob.seen('message:received')).toEqual([]);
    await dying.server.kill();
    expect(await bob.event('message:received')).toMatchObject({
      content: 'stored only',
    });
    expect(bob.seen('connection:changed').map(({ state }) => state)).not.toContain('reconnecting');
    expect(await alice.event('message:sent')).toMatchObject({ content: 'stored only' });
  });
});
