import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql, type SQL } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, type OpenDatabase } from '../../../platform/database/database.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { Address } from '../../../sdk/protocol/common.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { GroupId } from '../../../sdk/protocol/group.ts';
import { GroupStore, type LockedGroup } from '../../../signaling/groups/GroupStore.ts';
import { conversationId } from '../../../signaling/messages/conversationId.ts';
import { MessageWriter, type NewMessage } from '../../../signaling/messages/MessageWriter.ts';
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';
import { until } from '../../harness/until.ts';
import { newWallet } from '../support.ts';

let dataDir: string;
let opened: OpenDatabase;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await copyDatabaseTemplate(dataDir);
  opened = await openDatabase({ dataDir, logger: pino({ level: 'silent' }) });
});
afterAll(async () => {
  await opened?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const rowsOf = async (query: SQL) => (await opened.db.execute(query)).rows;
const waiting = sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

it('changes a group although the receipts of its members lock the same rows in another order', async () => {
  const store = new GroupStore(opened.db);
  const id = newId('grp') as GroupId;
  const [ada, ben] = [newWallet().address, newWallet().address];
  const put = (tx: Executor, group: LockedGroup, wallet: Address, role: 'admin' | 'member') =>
    store.put(tx, group, { wallet, role, standing: 'member', invitedBy: null });
  await store.create({ id, name: 'Dinner', creator: ada }, async (tx, group) => {
    await put(tx, group, ada, 'admin');
    await put(tx, group, ben, 'member');
  });
  // One statement of receipts, which locks the rows of all members in no certain order.
  const lock = (tx: Executor, wallet: Address) =>
    tx.execute(
      sql`UPDATE conversation_members SET read_until = now() WHERE conversation = ${id} AND wallet = ${wallet}`,
    );
  let change: Promise<unknown> = Promise.resolve();
  await opened.db.transaction(async (receipts) => {
    await lock(receipts, ben);
    change = store.change(id, async (tx, group) => {
      await put(tx, group, ada, 'member');
      await put(tx, group, ben, 'admin');
    });
    change.catch(() => undefined);
    await until(async () => (await rowsOf(waiting)).length > 0, 'the change waits');
    // PostgreSQL ends the transaction that began to wait first.
    await lock(receipts, ada);
  });
  await change;
  expect((await store.rows(id)).map(({ wallet, role }) => [wallet, role])).toEqual(
    expect.arrayContaining([
      [ada, 'member'],
      [ben, 'admin'],
    ]),
  );
});

it('stores a message with the locks in the order of receipts: members first, event logs last', async () => {
  const writer = new MessageWriter({ ...opened, jobs: { expect: () => {} } });
  const [ada, ben] = [newWallet().address, newWallet().address];
  const conversation = conversationId(ada, ben);
  const store = () => {
    const about = { conversation, sender: ada, recipient: ben, mediaId: null, replyTo: null };
    const message: NewMessage = { ...about, id: newId('msg'), type: 'text', content: 'Hello' };
    return writer.store(message);
  };
  await store();
  // The next message is the first one of its hour, which changes the rows of the members.
  await rowsOf(
    sql`UPDATE conversations SET latest_at = latest_at - interval '2 hours' WHERE id = ${conversation}`,
  );
  let storing: Promise<unknown> = Promise.resolve();
  await opened.db.transaction(async (receipts) => {
    await receipts.execute(
      sql`UPDATE conversation_members SET read_until = now() WHERE conversation = ${conversation} AND wallet = ${ben}`,
    );
    storing = store();
    storing.catch(() => undefined);
    await until(async () => (await rowsOf(waiting)).length > 0, 'the message waits');
    await receipts.execute(sql`SELECT FROM wallet_sequences WHERE wallet = ${ada} FOR UPDATE NOWAIT`);
  });
  expect(await storing).not.toBeNull();
});
