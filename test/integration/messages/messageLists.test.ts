import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { pino } from 'pino';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, type OpenDatabase } from '../../../platform/database/database.ts';
import type { OwnNode } from '../../../platform/node/OwnNode.ts';
import type { Address } from '../../../sdk/protocol/common.ts';
import { CallStore } from '../../../signaling/calls/CallStore.ts';
import { ConferenceStore } from '../../../signaling/conference/ConferenceStore.ts';
import { MessageReader } from '../../../server/telephony/messaging/MessageReader.ts';
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';

/* The query plans of lists, for an account with very many texts, calls and rooms. */

let dataDir: string;
let opened: OpenDatabase;
let reader: MessageReader;
let callStore: CallStore;
let conferences: ConferenceStore;
let client: pg.Pool;
const busy = '0x01' as Address;
let queries: { query: string; values: unknown[] }[] = [];

/** 20,000 texts with 1,000 people. Few are inbound, and fewer belong to a number of the account. */
const fill = `
  INSERT INTO accounts (id, wallet) VALUES ('busy', '0x01');
  INSERT INTO phone_numbers (id, account_id, phone_number, country, type, capabilities, status, monthly_credits, auto_renew, carrier, expires_at)
    VALUES ('num_1', 'busy', '+12025550111', 'US', 'local', '{}', 'active', 200, false, 'loopback', now());
  INSERT INTO threads (id, account_id, number, counterparty, last_message_id, last_seq, message_count, unread_count)
    SELECT 'thr_' || i, 'busy', '+12025550190', '+' || (12025000000 + i), 'msg_' || i, i, 20, 0 FROM generate_series(1, 1000) i;
  INSERT INTO messages (id, account_id, thread_id, direction, number, number_id, counterparty, text, media, status, segments, encoding, credits, carrier)
    SELECT 'msg_' || i, 'busy', 'thr_' || (1 + i % 1000), CASE WHEN i < 400 THEN 'inbound' ELSE 'outbound' END, '+12025550190',
      CASE WHEN i % 4000 = 0 THEN 'num_1' END, '+' || (12025000001 + i % 1000), 'text', '[]', 'delivered', 1, 'GSM-7', 2, 'loopback'
    FROM generate_series(1, 20000) i;
  INSERT INTO calls (id, caller, callee, type, status, started_at, ended_at)
    SELECT 'call_' || i, CASE i % 2 WHEN 0 THEN '0x01' ELSE '0x02' END, CASE i % 2 WHEN 0 THEN '0x02' ELSE '0x01' END, 'audio',
      CASE WHEN i < 60 THEN 'declined' ELSE 'ended' END, now() - (20000 - i) * interval '1 minute', now() FROM generate_series(1, 20000) i;
  INSERT INTO rooms (id, name, host, max_participants, video, audio, settings, status, created_at, network)
    SELECT 'room_' || i, 'Room', '0x01', 10, true, true, '{}', CASE WHEN i < 60 THEN 'waiting' ELSE 'ended' END,
      now() - (20000 - i) * interval '1 minute', 'mainnet' FROM generate_series(1, 20000) i;
  ANALYZE messages; ANALYZE threads; ANALYZE calls; ANALYZE rooms;`;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await copyDatabaseTemplate(dataDir);
  opened = await openDatabase({ dataDir, logger: pino({ level: 'silent' }) });
  await opened.pool.query(fill);
  client = opened.pool;
  const logger = { logQuery: (query: string, values: unknown[]) => void queries.push({ query, values }) };
  const db = drizzle({ client, logger });
  reader = new MessageReader(db);
  callStore = new CallStore(db, {} as OwnNode);
  conferences = new ConferenceStore(db, {} as OwnNode);
});
afterAll(async () => {
  await opened?.close();
  await rm(dataDir, { recursive: true, force: true });
});

it.each<[string, (from: MessageReader) => Promise<unknown>]>([
  ['the inbox', (from) => from.inbox('busy', {})],
  ['the inbox of one counterparty', (from) => from.inbox('busy', { from: '+12025000007' })],
  ['the inbox since a point in time', (from) => from.inbox('busy', { since: '2999-01-01' })],
  ['the texts of own numbers', (from) => from.ofNumbers('busy', {})],
  ['the texts of one own number', (from) => from.ofNumbers('busy', { number: '+12025550111' })],
  ['the threads', (from) => from.threads('busy', {})],
  ['the calls', () => callStore.page(busy, { limit: 51, before: null })],
  ['the declined calls', () => callStore.page(busy, { status: 'declined', limit: 51, before: null })],
  ['the history of calls', () => callStore.history(busy, { limit: 50, offset: 0 })],
  ['the incoming calls', () => callStore.history(busy, { direction: 'incoming', limit: 50, offset: 0 })],
  ['the open rooms', () => conferences.roomsOf(busy, { limit: 50, offset: 0 })],
  ['the ended rooms', () => conferences.roomsOf(busy, { status: 'ended', limit: 50, offset: 0 })],
])('reads few more rows than it returns: %s', async (_name, list) => {
  queries = [];
  await list(reader);
  const last = queries.at(-1);
  const { rows } = await client.query<{ 'QUERY PLAN': string }>({
    text: `EXPLAIN (ANALYZE, COSTS off) ${last?.query}`,
    values: last?.values ?? [],
  });
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('Index Scan');
  expect(plan).not.toMatch(/Seq Scan/);
  for (const [, read] of plan.matchAll(/actual .*rows=(\d+)/g)) expect(Number(read)).toBeLessThan(500);
  for (const [, removed] of plan.matchAll(/Removed by Filter: (\d+)/g))
    expect(Number(removed)).toBeLessThan(500);
});
