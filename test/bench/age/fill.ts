import { createHash } from 'node:crypto';
import type pg from 'pg';
import { getAddress } from 'viem';
import { monthOf, prefixOf } from '../../../signaling/messages/words.ts';
import { conversationId } from '../../../signaling/messages/conversationId.ts';
import type { Address } from '../../../sdk/protocol/common.ts';

/** An account that owns most rows, and its wallet. */
export interface Heavy {
  wallet: Address;
  accountId: string;
}

/** The rows of every database cover this time, so that a larger database has more rows per day. */
const days = 300;
/** The messages that the rare filters look for are the oldest ones. A list without an index reads all others before it finds them. */
const rare = 20;

/** The wallet with this number. Numbers from 1 on are people that the heavy wallet talks to. */
export function walletOf(number: number): Address {
  return getAddress(`0x${createHash('sha256').update(`wallet ${number}`).digest('hex').slice(0, 40)}`);
}

/** The id that the row with this number has. It begins like those of newId(): with what grows with the time of the row. */
export const idOf = (prefix: string, number: number): string =>
  `${prefix}_${number.toString(16).padStart(8, '0')}${createHash('md5').update(`${prefix}${number}`).digest('hex').slice(0, 16)}`;

/** About when the row with this number was created, in milliseconds. The last one is an hour old. */
export const timeOf = (number: number, rows: number): number =>
  Date.now() - 3_600_000 - Math.round(((rows - number) * days * 86_400_000) / rows);

/** How many conversations the heavy wallet has. The first one has a third of its messages. */
export const conversationsOf = (rows: number): number => rows / 100;

/**
 * Fills an empty database: `rows` rows in each of the tables that grow fastest, and a share of that in the others. Half of the rows belong
 * to the heavy account, the rest to many others.
 */
export async function fill(db: pg.Client, rows: number, { wallet, accountId }: Heavy): Promise<void> {
  const latest = new Date(Date.now() - 3_600_000).toISOString();
  await db.query(`
    SET session_replication_role = replica; SET synchronous_commit = off; SET maintenance_work_mem = '512MB'; SET work_mem = '256MB';
    CREATE FUNCTION pg_temp.id(prefix text, n bigint) RETURNS text IMMUTABLE PARALLEL SAFE
      RETURN prefix || '_' || lpad(to_hex(n), 8, '0') || left(md5(prefix || n), 16);
    CREATE FUNCTION pg_temp.at(n bigint) RETURNS timestamptz IMMUTABLE PARALLEL SAFE
      RETURN timestamptz '${latest}' - (${rows} - n) * interval '${days} days' / ${rows};
    CREATE TEMP TABLE people (number int PRIMARY KEY, wallet text, conversation text);
    CREATE TEMP TABLE months (month int PRIMARY KEY, prefix text)`);
  const people = Array.from({ length: conversationsOf(rows) }, (_, index) => walletOf(index + 1));
  await db.query(
    'INSERT INTO people SELECT n, w, c FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS p (w, c, n)',
    [people, people.map((other) => conversationId(wallet, other))],
  );
  const now = monthOf(new Date());
  const months = Array.from({ length: days / 28 + 3 }, (_, index) => now - Math.floor(index));
  await db.query('INSERT INTO months SELECT * FROM unnest($1::int[], $2::text[])', [
    months,
    months.map((month) => prefixOf(wallet, month)),
  ]);
  const names = { rows, wallet: `'${wallet}'`, account: `'${accountId}'`, people: people.length };
  await withoutIndexes(db, Object.keys(tables), async () => {
    for (const [table, select] of Object.entries(tables))
      await db.query(`INSERT INTO ${table} ${select(names)}`);
  });
  await db.query(`
    UPDATE accounts SET credits = 1000000000 WHERE id = '${accountId}';
    INSERT INTO wallet_sequences VALUES ('${wallet}', ${rows}) ON CONFLICT (wallet) DO UPDATE SET latest = excluded.latest;
    UPDATE conversations c SET latest_at = m.sent_at, previous_at = m.sent_at FROM (
      SELECT conversation, max(sent_at) AS sent_at FROM wallet_messages GROUP BY conversation
    ) m WHERE m.conversation = c.id;
    UPDATE conversation_members m SET active_at = date_trunc('hour', c.latest_at, 'UTC') FROM conversations c WHERE c.id = m.conversation;
    ANALYZE`);
}

interface Names {
  rows: number;
  wallet: string;
  account: string;
  people: number;
}

const series = (count: number, where = '') => `FROM generate_series(1, ${Math.ceil(count)}) n ${where}`;
const id = (prefix: string, n = 'n') => `pg_temp.id('${prefix}', ${n})`;
/** Every second row belongs to the heavy account, and the others to many accounts. */
const half = (own: string, others: string) => `CASE WHEN n % 2 = 0 THEN ${own} ELSE ${others} END`;
const stranger = `'0x' || left(md5('stranger' || n / 100), 40)`;
const owner = (account: string) => half(account, id('acc', '(1 + n / 100)::bigint'));

/** The rows of each table, with all of its columns that need a value. */
const tables: Record<string, (names: Names) => string> = {
  'accounts (id, wallet, created_at)': ({ rows }) =>
    `SELECT ${id('acc')}, '0x' || left(md5('account' || n), 40), pg_temp.at(n) ${series(rows / 4)}`,
  'conversations (id, messages, latest_at, first_wrote, second_wrote)': ({ rows, people }) =>
    `SELECT conversation, ${rows / people}, pg_temp.at(${rows - people} + number), true, true FROM people`,
  'conversation_members (wallet, conversation, peer, delivered_until, read_until, indexed_until)': ({
    wallet,
  }) =>
    `SELECT ${wallet}, conversation, wallet, now(), now(), now() FROM people
     UNION ALL SELECT wallet, conversation, ${wallet}, now(), now(), now() FROM people`,
  'wallet_messages (id, conversation, sender, recipient, type, content, sent_at)': ({ rows, wallet }) =>
    `SELECT ${id('msg')}, p.conversation, CASE WHEN n % 2 = 0 THEN ${wallet} ELSE p.wallet END,
       CASE WHEN n % 2 = 0 THEN p.wallet ELSE ${wallet} END, 'text',
       'Message ' || n || ' about ' || CASE WHEN n <= ${rare} THEN 'zebras' ELSE 'dinner' END, pg_temp.at(n)
     FROM generate_series(1, ${rows}) n
     JOIN people p ON p.number = CASE WHEN n % 3 = 0 THEN 1 ELSE 1 + n % (SELECT count(*) FROM people) END`,
  'message_words (wallet, sent_at, message, words)': ({ rows, wallet }) =>
    `SELECT ${wallet}, pg_temp.at(n), ${id('msg')},
       array_to_tsvector(ARRAY[prefix || 'message', prefix || n, prefix || CASE WHEN n <= ${rare} THEN 'zebras' ELSE 'dinner' END])
     FROM (SELECT n, extract(year FROM pg_temp.at(n) AT TIME ZONE 'UTC') * 12 + extract(month FROM pg_temp.at(n) AT TIME ZONE 'UTC') - 1 AS month
       ${series(rows)}) m JOIN months USING (month)`,
  'wallet_events (wallet, sequence, event, payload, created_at)': ({ rows, wallet }) =>
    `SELECT ${half(wallet, stranger)}, n, 'message:deleted', json_build_object('messageId', ${id('msg')}, 'conversationId', ${id('cnv')},
       'forEveryone', true, 'at', '2026-01-01T00:00:00.000Z'), now() - interval '6 days' * (${rows} - n) / ${rows} ${series(rows)}`,
  'calls (id, caller, callee, type, status, started_at, answered_at, ended_at, end_reason)': ({
    rows,
    wallet,
    people,
  }) =>
    `SELECT ${id('call')}, ${half(wallet, `coalesce(p.wallet, ${stranger})`)}, ${half(`p.wallet`, `CASE WHEN n % 4 = 1 THEN ${wallet} ELSE ${stranger} END`)},
       'audio', CASE WHEN n <= ${rare} THEN 'declined' ELSE 'ended' END, pg_temp.at(n), pg_temp.at(n), pg_temp.at(n), 'hangup'
     FROM generate_series(1, ${rows}) n JOIN people p ON p.number = 1 + n % ${people}`,
  'rooms (id, name, host, max_participants, video, audio, settings, status, created_at, started_at, ended_at, network)':
    ({ rows, wallet }) =>
      `SELECT ${id('room')}, 'Room ' || n, ${half(wallet, stranger)}, 100, true, true, '{}', CASE WHEN n <= ${rare} THEN 'waiting' ELSE 'ended' END,
       pg_temp.at(n), pg_temp.at(n), CASE WHEN n > ${rare} THEN pg_temp.at(n) END, 'mainnet' ${series(rows / 5)}`,
  'room_members (room_id, wallet, standing, changed_at, first_joined_at, left_at, past_at)': ({
    rows,
    wallet,
  }) =>
    `SELECT ${id('room')}, CASE k WHEN 0 THEN ${half(wallet, stranger)} ELSE 'someone ' || k END, 'away', pg_temp.at(n), pg_temp.at(n), pg_temp.at(n),
       pg_temp.at(n) FROM generate_series(${rare + 1}, ${rows / 5}) n, generate_series(0, 2) k`,
  'room_chat (id, room_id, wallet, content, sent_at)': ({ rows, wallet }) =>
    `SELECT ${id('msg', `${rows} + n`)}, ${id('room', `CASE WHEN n <= 500 THEN ${rows / 5} ELSE 1 + n / 20 END`)}, ${wallet}, 'Hello ' || n,
       pg_temp.at(n) ${series(rows / 2)}`,
  'streams (id, title, description, host, network, is_public, record, key_hash, key_sealed, status, created_at, ended_at)':
    ({ rows, wallet }) =>
      `SELECT ${id('str')}, 'Stream ' || n, '', ${half(wallet, stranger)}, 'mainnet', true, false, md5('key' || n), '', CASE WHEN n <= ${rare} THEN 'idle' ELSE 'ended' END,
       pg_temp.at(n), CASE WHEN n > ${rare} THEN pg_temp.at(n) END ${series(rows / 10)}`,
  'stream_chat (id, stream_id, wallet, content, sent_at)': ({ rows, wallet }) =>
    `SELECT ${id('msg', `2 * ${rows} + n`)}, ${id('str', 'CASE WHEN n <= 500 THEN 2 ELSE 3 + n / 20 END')}, ${wallet}, 'Hello ' || n, pg_temp.at(n)
     ${series(rows / 2)}`,
  'stream_watchings (stream_id, id, viewer, wallet, via, joined_at, socket, seen_at)': ({ rows }) =>
    `SELECT ${id('str', 'CASE WHEN n <= 500 THEN 2 ELSE 3 + n / 20 END')}, ${id('par')}, 'viewer ' || n, ${stranger}, 'sdk', pg_temp.at(n), 'socket ' || n, pg_temp.at(n)
     ${series(rows / 10)}`,
  'stream_bans (stream_id, wallet, banned_at)': ({ rows }) =>
    `SELECT ${id('str')}, ${stranger}, pg_temp.at(n) ${series(rows / 10)}`,
  'recordings (id, kind, room_id, host, title, status, started_at, ended_at)': ({ rows, wallet }) =>
    `SELECT ${id('rec')}, 'conference', ${id('room')}, ${half(wallet, stranger)}, 'Recording', CASE WHEN n <= ${rare} THEN 'failed' ELSE 'ready' END,
       pg_temp.at(n), pg_temp.at(n) ${series(rows / 10)}`,
  'files (id, wallet, size, received, attached_at, object_key, kind, mime_type, duration)': ({
    rows,
    wallet,
  }) =>
    `SELECT ${id('med')}, ${half(wallet, stranger)}, 1000, 1000, pg_temp.at(n), 'key' || n, 'audio', 'audio/ogg', 3 ${series(rows / 5)}`,
  'recording_files (recording_id, file_id, wallet, start_seconds)': ({ rows }) =>
    `SELECT ${id('rec')}, ${id('med', `${rows / 10} + n`)}, ${stranger}, 0 ${series(rows / 10)}`,
  'voicemails (id, sender, recipient, file_id, status, hidden, max_duration, duration, created_at, read_at)':
    ({ rows, wallet }) =>
      `SELECT ${id('vm')}, ${stranger}, ${half(wallet, stranger)}, ${id('med')}, 'ready', false, 120, 3, pg_temp.at(n),
       CASE WHEN n > ${rare} THEN pg_temp.at(n) END ${series(rows / 10)}`,
  'ledger (id, account_id, type, service, amount, balance_after, description, reference_type, reference_id, created_at)':
    ({ rows, account }) =>
      `SELECT ${id('txn')}, ${owner(account)}, CASE WHEN n <= ${rare} THEN 'refund' ELSE 'debit' END, 'sms', 2, 1000, 'A text', 'reservation',
       ${id('rsv')}, pg_temp.at(n) ${series(rows)}`,
  'reservations (id, account_id, service, amount, status, inquiry, created_at, settled_at)': ({
    rows,
    account,
  }) =>
    `SELECT ${id('rsv')}, ${owner(account)}, 'sms', 2, 'captured', '{}', pg_temp.at(n), pg_temp.at(n) ${series(rows / 2)}`,
  'payments (id, account_id, kind, status, amount_cents, credits, description, created_at)': ({
    rows,
    account,
  }) =>
    `SELECT ${id('pay')}, ${owner(account)}, 'top_up', 'paid', 100, 100, 'Credits', pg_temp.at(n) ${series(rows / 10)}`,
  'audit_log (id, account_id, at, actor_type, actor_prefix, action, method, path, status)': ({
    rows,
    account,
  }) =>
    `SELECT ${id('aud')}, ${owner(account)}, pg_temp.at(n), 'api_key', 'pk_' || n % 10, CASE WHEN n <= ${rare} THEN 'api_key.created' ELSE 'request' END,
       'POST', '/sms/send', 202 ${series(rows)}`,
  'api_keys (id, account_id, name, hash, prefix, last4, scopes, created_by, revoked_at)': ({
    rows,
    account,
  }) =>
    `SELECT ${id('key')}, ${owner(account)}, 'Key ' || n, md5('hash' || n), 'old_' || n, 'last', '{}', 'x', pg_temp.at(n) ${series(rows / 100)}`,
  'phone_numbers (id, account_id, phone_number, country, type, capabilities, status, monthly_credits, auto_renew, carrier, expires_at, released_at)':
    ({ rows, account }) =>
      `SELECT ${id('num')}, ${owner(account)}, '+1' || (2025000000 + n), 'US', 'local', '{"sms":true,"mms":true,"voice":false}',
       CASE WHEN n <= ${rare} THEN 'active' ELSE 'released' END, 200, false, 'loopback', now() + interval '1 year', CASE WHEN n > ${rare} THEN pg_temp.at(n) END
       ${series(rows / 50)}`,
  'threads (id, account_id, number, counterparty, last_message_id, last_seq, message_count, unread_count)': ({
    rows,
    account,
  }) =>
    `SELECT ${id('thr')}, ${owner(account)}, CASE WHEN n <= ${rare} THEN '+12025000002' ELSE '+12025550190' END, '+' || (12030000000 + n), ${id('msg')},
       n, 10, 0 ${series(rows / 10)}`,
  'messages (id, account_id, thread_id, direction, number, number_id, counterparty, text, media, status, segments, encoding, credits, carrier, created_at)':
    ({ rows, account }) =>
      `SELECT ${id('msg')}, ${owner(account)}, ${id('thr', `1 + n % ${rows / 10}`)}, CASE WHEN n <= ${rare} THEN 'inbound' ELSE 'outbound' END, '+12025550190',
       CASE WHEN n <= ${rare} THEN ${id('num', '2')} END, '+' || (12030000000 + 1 + n % ${rows / 10}), 'Your table is ready.', '[]',
       'delivered', 1, 'GSM-7', 2, 'loopback', pg_temp.at(n) ${series(rows)}`,
  'message_parts (carrier, reference, message_id, state, at)': ({ rows }) =>
    `SELECT 'loopback', 'ref' || n, ${id('msg')}, 'delivered', pg_temp.at(n) ${series(rows / 2)}`,
  'idempotency_keys (account_id, method, path, key, body_hash, lease_until, status, answer, expires_at)': ({
    rows,
    account,
  }) =>
    `SELECT ${owner(account)}, 'POST', '/sms/send', 'key' || n, 'hash', pg_temp.at(n), 202, '', now() + interval '12 hours' ${series(rows / 2)}`,
  'webhook_endpoints (id, account_id, url, description, events, secret, disabled_at)': ({ account }) =>
    `SELECT ${id('whk')}, ${account}, 'https://hooks.example', '', '["webhook.test"]', '', CASE WHEN n > 1 THEN now() END ${series(5)}`,
  'webhook_events (id, account_id, type, subject_id, sequence, position, body, created_at)': ({
    rows,
    account,
  }) =>
    `SELECT ${id('evt')}, ${owner(account)}, 'room.started', ${id('room', 'n / 4')}, n % 4, n, '{"id":"' || ${id('evt')} || '"}', pg_temp.at(n) ${series(rows)}`,
  'webhook_deliveries (id, account_id, endpoint_id, event_id, type, body, status, attempts, created_at, settled_at, next_attempt_at)':
    ({ rows, account }) =>
      `SELECT ${id('dlv')}, ${owner(account)}, CASE WHEN n % 2 = 0 THEN ${id('whk', '1')} ELSE ${id('whk', 'n + 100')} END, ${id('evt')}, 'room.started', '{}',
       CASE WHEN n <= ${rare} THEN 'failed' ELSE 'delivered' END, 1, pg_temp.at(n), pg_temp.at(n), NULL ${series(rows)}`,
  'webhook_sequences (account_id, subject_id, last, position)': ({ rows, account }) =>
    `SELECT ${account}, ${id('room')}, 4, n ${series(rows / 4)}`,
  'x402_payments (id, network, asset, payer, nonce, pay_to, amount, service, units, credits, method, path, request_hash, sender, status, since_block, valid_before, lease_until, answer_status, created_at, settled_at, expires_at)':
    ({ rows }) =>
      `SELECT ${id('pay', `${rows} + n`)}, 'eip155:8453', 'usdc', ${stranger}, 'nonce' || n, 'to', 1000, 'sms', 1, 2, 'POST', '/sms/send', 'hash', 'sender',
       CASE WHEN n <= ${rare} THEN 'failed' ELSE 'done' END, 1, now(), now(), 202, pg_temp.at(n), pg_temp.at(n), now() + interval '1 day' ${series(rows / 2)}`,
  'esim_orders (id, account_id, charge_id, provider, package_id, quantity, credits, status, created_at, updated_at)':
    ({ rows, account }) =>
      `SELECT ${id('ord')}, ${owner(account)}, ${id('rsv')}, 'loopback', 'eu-1gb', 1, 100, 'completed', pg_temp.at(n), pg_temp.at(n) ${series(rows / 10)}`,
  'quality_log (subject, at, party, kind)': ({ rows }) =>
    `SELECT ${id('call', '(n / 50)::bigint')}, pg_temp.at(n), 'someone', 'joined' ${series(rows)}`,
  'sessions (id, account_id, wallet, audience, network, chain_id, created_at, ended_at)': ({
    rows,
    account,
  }) =>
    `SELECT ${id('ses')}, ${owner(account)}, 'someone', 'app', 'mainnet', 1, pg_temp.at(n), pg_temp.at(n) ${series(rows / 4)}`,
  'refresh_tokens (hash, session_id, expires_at, used_at)': ({ rows }) =>
    `SELECT md5('token' || n), ${id('ses', '(1 + n / 2)::bigint')}, now() + interval '20 days', now() ${series(rows / 2)}`,
  'participant_tokens (id, hash, subject_id, identity, role, grants, created_at, expires_at)': ({ rows }) =>
    `SELECT ${id('ptk')}, md5('ptk' || n), ${id('room', String(rows / 5))}, 'guest ' || n, 'participant', '{}', pg_temp.at(n), now() + interval '1 day'
     ${series(rows / 10)}`,
  'verifications (id, account_id, "to", channel, code_hash, status, created_at, expires_at)': ({
    rows,
    account,
  }) =>
    `SELECT ${id('vrf')}, ${owner(account)}, '+' || (12040000000 + n), 'sms', '', 'expired', now(), now() + interval '1 day' ${series(rows / 10)}`,
  'pool_assignments (number, counterparty, account_id, used_at)': ({ rows, account }) =>
    `SELECT '+12025550190', '+' || (12030000000 + n), ${owner(account)}, now() ${series(rows / 10)}`,
  'due (kind, subject, due_at, payload)': ({ rows }) =>
    `SELECT 'number.end', ${id('num', `1000000 + n`)}, now() + interval '30 days', '{}' ${series(rows / 10)}`,
  'recent_errors (at, node_id, level, message, request_id)': () =>
    `SELECT now(), 'node', 'error', 'An error', 'req' || n ${series(1_000)}`,
  'groups (id, name, creator, created_at)': ({ rows }) =>
    `SELECT ${id('grp')}, 'Group ' || n, ${stranger}, pg_temp.at(n) ${series(rows / 10)}`,
  'group_members (wallet, group_id, role, standing, changed_at)': ({ rows, wallet }) =>
    `SELECT CASE WHEN n <= ${rare} AND k = 0 THEN ${wallet} ELSE 'someone ' || n % 1000 || ' ' || k END, ${id('grp')}, 'member', 'member', pg_temp.at(n)
     FROM generate_series(1, ${rows / 10}) n, generate_series(0, 3) k`,
  'blocks (wallet, blocked)': ({ rows, wallet }) =>
    `SELECT CASE WHEN n <= ${rare} THEN ${wallet} ELSE ${stranger} END, 'blocked ' || n ${series(rows / 10)}`,
  'profiles (wallet, name)': () => `SELECT wallet, 'Person ' || number FROM people`,
  'push_subscriptions (id, wallet, session_id, service, address, renewed_at)': ({ rows }) =>
    `SELECT ${id('sub')}, ${stranger}, ${id('ses')}, 'fcm', 'token ' || n, pg_temp.at(n) ${series(rows / 10)}`,
  'identities (id, account_id, issuer, subject)': ({ rows }) =>
    `SELECT ${id('idn')}, ${id('acc')}, 'https://provider.example', 'subject ' || n ${series(rows / 4)}`,
  'file_usage (holder, bytes)': ({ rows }) => `SELECT 'holder ' || n, 1000 ${series(rows / 10)}`,
  'number_orders (id, account_id, reservation_id, status, offer, number_id, credits, buying_until)': ({
    rows,
    account,
  }) =>
    `SELECT ${id('ord', `${rows} + n`)}, ${owner(account)}, ${id('rsv')}, 'completed', '{}', ${id('num')}, 200, pg_temp.at(n) ${series(rows / 50)}`,
  'webhooks (number_id, account_id, url, events, secret)': ({ account }) =>
    `SELECT ${id('num')}, ${owner(account)}, 'https://hooks.example', '["sms.received"]', '' ${series(rare)}`,
  'opt_outs (sender, recipient)': ({ rows }) =>
    `SELECT 'pool', '+' || (12050000000 + n) ${series(rows / 10)}`,
  'loopback_texts (id, sender, recipient, text, media_urls, segments, delivered_at)': ({ rows }) =>
    `SELECT ${id('msg')}, '+12025550190', '+' || (12030000000 + n), 'Your table is ready.', '[]', 1, now() ${series(rows / 10)}`,
  'leak_entries (hash, breach_id)': ({ rows }) => `SELECT decode(md5('leak' || n), 'hex'), 1 ${series(rows)}`,
  'leak_quotas (account_id, period_start, used)': ({ rows }) =>
    `SELECT ${id('acc')}, date_trunc('month', now()), 1 ${series(rows / 10)}`,
  'saved_contacts (wallet, contact, name)': ({ wallet }) =>
    `SELECT ${wallet}, 'contact' || n, 'Name ' || n ${series(2_000)}`,
};

/** Indexes that are created from rows cost a fraction of those that grow with each row. */
async function withoutIndexes(db: pg.Client, targets: string[], work: () => Promise<void>): Promise<void> {
  const names = targets.map((target) => target.replace(/ .*/, ''));
  const { rows } = await db.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid = ANY($1::regclass[]) AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = indexrelid)`,
    [names],
  );
  await db.query(`DROP INDEX ${rows.map(({ name }) => name).join(', ')}`);
  await work();
  for (const { definition } of rows) await db.query(definition);
}
