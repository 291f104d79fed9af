import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { WireMessage } from '../../sdk/protocol/messages.ts';
import { openDatabase, type OpenDatabase } from '../../platform/database/database.ts';
import { silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { until } from '../../test/harness/until.ts';
import { newWallet } from '../../test/integration/support.ts';
import { BlockList } from '../calls/BlockList.ts';
import type { ParleySocket } from '../socket/RequestContext.ts';
import { createIo } from '../socket/createIo.ts';
import { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { EventLog } from '../events/EventLog.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { memoryLimiters } from '../../platform/limits/limiters.ts';
import { LimitFactory } from '../../platform/limits/Limits.ts';
import { Notifier } from '../socket/Notifier.ts';
import type { Attachments } from './Attachments.ts';
import { Contacts } from '../Contacts.ts';
import { createGroups } from '../groups/createGroups.ts';
import { createMessages, type Messages } from './createMessages.ts';
import { copyDatabaseTemplate } from '../../test/harness/nodes/databaseTemplate.ts';

/* Messages with files. The file storage is a table in this test. */

let folder: string;
let database: OpenDatabase;
let messages: Messages;
let events: EventLog;
let notifier: Notifier;
let files: FileTable;
const [alice, bob] = [newWallet().address, newWallet().address];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-attachments-'));
  await copyDatabaseTemplate(folder);
  database = await openDatabase({ dataDir: folder, logger: silent });
  const { db, pool } = database;
  await db.execute(sql`CREATE TABLE test_files (id text PRIMARY KEY, owner text, type text, state text)`);
  const io = createIo({ httpServer: null, adapter: null, isAllowedOrigin: () => true, log: silent });
  notifier = new Notifier(io);
  files = new FileTable(db);
  const jobs = new ScheduledJobs(db, silent);
  events = new EventLog({ db, notifier, jobs, log: silent, keepDays: 30 });
  const common = {
    ...{ db, pool, jobs, events, notifier, log: silent },
    blockList: new BlockList(db),
    // No device in this test gets pushes.
    pushes: { describe() {}, offer: () => Promise.resolve() },
    limitFactory: new LimitFactory(memoryLimiters),
  };
  const limits = { invitesPerMinute: 200, invitedPerMinute: 60 };
  const { groups, store: groupStore } = createGroups({ ...common, ...limits, contacts: new Contacts(db) });
  messages = createMessages({
    ...{ ...common, groups, groupStore },
    attachments: files,
    messagesPerSender: 600,
  });
});
afterAll(async () => {
  messages?.close();
  events?.close();
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

class FileTable implements Attachments {
  readonly #executor: Executor;
  #described = 0;

  constructor(executor: Executor) {
    this.#executor = executor;
  }

  async attach(
    executor: Executor,
    { fileId, wallet, type }: Parameters<Attachments['attach']>[1],
  ): Promise<void> {
    const { rows } = await executor.execute<{ type: string; state: string }>(
      sql`SELECT type, state FROM test_files WHERE id = ${fileId} AND owner = ${wallet} FOR UPDATE`,
    );
    const [file] = rows;
    if (!file) throw new ParleyError('NOT_FOUND', 'No file has this id.');
    if (file.type !== type)
      throw new ParleyError('VALIDATION_ERROR', `mediaId: the file is not of type ${type}.`);
    if (file.state !== 'new') throw new ParleyError('CONFLICT', 'The file was already sent.');
    await executor.execute(sql`UPDATE test_files SET state = 'sent' WHERE id = ${fileId}`);
  }

  async describe(fileIds: string[]) {
    this.#described++;
    const { rows } = await this.#executor.execute<{ id: string }>(
      sql`SELECT id FROM test_files WHERE id = ANY (${sql.param(fileIds)})`,
    );
    const properties = { mimeType: 'image/png', size: 1, name: null, width: 1, height: 1, duration: null };
    return new Map(
      rows.map(({ id }) => [id, { id, url: `https://files/${id}?${this.#described}`, ...properties }]),
    );
  }

  async discard(executor: Executor, fileId: string): Promise<void> {
    await executor.execute(sql`UPDATE test_files SET state = 'discarded' WHERE id = ${fileId}`);
  }
}

async function upload(owner: Address, type = 'image'): Promise<string> {
  const id = newId('msg');
  await database.db.execute(sql`INSERT INTO test_files VALUES (${id}, ${owner}, ${type}, 'new')`);
  return id;
}

async function stateOf(fileId: string): Promise<unknown> {
  const { rows } = await database.db.execute(sql`SELECT state FROM test_files WHERE id = ${fileId}`);
  return rows[0]?.state;
}

/** Sends a request as a device of this wallet, and returns the answer. */
async function request<T = WireMessage>(wallet: Address, name: string, payload: object): Promise<T> {
  const handler = messages.handlers[name as keyof typeof messages.handlers];
  const peers = new Map<string, string>();
  const session = { wallet, sessionId: '', network: 'mainnet' as const };
  const context = { ...session, socketId: wallet, subnets: [], peers, guest: null, countedAs: wallet };
  return (await handler(context, payload as never, null as unknown as ParleySocket)) as T;
}

const imageMessage = (mediaId: string, over: object = {}) => ({
  id: newId('msg'),
  to: bob,
  content: '',
  type: 'image',
  mediaId,
  ...over,
});

const page = (wallet: Address, peer: Address) =>
  request<WireMessage[]>(wallet, 'messages.getMessages', { with: peer, limit: 50, offset: 0 });

describe('a message with a file', () => {
  it('is stored with the file, whose URL is newly signed on each read', async () => {
    const fileId = await upload(alice);
    const sent = await request(alice, 'messages.send', imageMessage(fileId, { content: 'look' }));
    expect(sent).toMatchObject({ content: 'look', media: { id: fileId, mimeType: 'image/png' } });
    expect(await stateOf(fileId)).toBe('sent');
    const [[first], [second]] = [await page(bob, alice), await page(bob, alice)];
    expect(first?.media?.url).not.toBe(second?.media?.url);
    const { latest } = await events.read(bob, 0);
    const { events: missed } = await events.read(bob, latest - 1);
    expect(missed).toMatchObject([{ event: 'message:received', payload: { media: { id: fileId } } }]);
  });

  it('is stored once when it is sent again', async () => {
    const message = imageMessage(await upload(alice));
    const { id, timestamp } = await request(alice, 'messages.send', message);
    expect(await request(alice, 'messages.send', message)).toMatchObject({ id, timestamp });
    const other = { ...message, mediaId: await upload(alice) };
    await expect(request(alice, 'messages.send', other)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await stateOf(other.mediaId)).toBe('new');
  });

  it.each<[string, () => Promise<object>]>([
    ['NOT_FOUND', async () => imageMessage(await upload(bob))],
    ['VALIDATION_ERROR', async () => imageMessage(await upload(alice, 'audio'))],
    [
      'CONFLICT',
      async () => {
        const fileId = await upload(alice);
        await request(alice, 'messages.send', imageMessage(fileId));
        return imageMessage(fileId);
      },
    ],
  ])('is not stored when the file cannot be attached: %s', async (code, message) => {
    const refused = await message();
    const before = [(await page(alice, bob)).length, (await events.read(bob, 0)).latest];
    await expect(request(alice, 'messages.send', refused)).rejects.toMatchObject({ code });
    expect([(await page(alice, bob)).length, (await events.read(bob, 0)).latest]).toEqual(before);
  });

  it('is announced when its file cannot be read after it was stored', async () => {
    // No earlier message is about these wallets.
    const [sender, recipient] = [newWallet().address, newWallet().address];
    const message = imageMessage(await upload(sender), { to: recipient });
    const told = vi.spyOn(notifier, 'toWallet');
    const described = vi.spyOn(files, 'describe').mockRejectedValueOnce(new Error('storage away'));
    onTestFinished(() => [told, described].forEach((spy) => spy.mockRestore()));
    await expect(request(sender, 'messages.send', message)).rejects.toThrow('storage away');
    expect(await page(recipient, sender)).toMatchObject([{ id: message.id }]);
    for (const wallet of [sender, recipient])
      await until(
        () => told.mock.calls.some(([to, event]) => to === wallet && event === 'session:behind'),
        'the devices are asked to check',
        10_000,
      );
  });

  it('loses its file when it is deleted for everyone', async () => {
    const fileId = await upload(alice);
    const { id: messageId } = await request(alice, 'messages.send', imageMessage(fileId));
    await request(alice, 'messages.delete', { messageId, forEveryone: true });
    expect(await stateOf(fileId)).toBe('discarded');
    expect((await page(bob, alice))[0]).toMatchObject({ id: messageId, media: null });
  });

  it('keeps its file until both wallets have deleted the message', async () => {
    const fileId = await upload(alice);
    const { id: messageId } = await request(alice, 'messages.send', imageMessage(fileId));
    await request(bob, 'messages.delete', { messageId, forEveryone: false });
    expect(await stateOf(fileId)).toBe('sent');
    await request(alice, 'messages.delete', { messageId, forEveryone: false });
    expect(await stateOf(fileId)).toBe('discarded');
  });
});
