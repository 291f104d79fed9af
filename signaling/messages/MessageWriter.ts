import { sql, type SQL } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { Address } from '../../sdk/protocol/common.ts';
import { isGroup } from '../../sdk/protocol/group.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { numberAndLog } from '../events/numberAndLog.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { GroupCommit, retryConflicts } from '../../platform/database/GroupCommit.ts';
import { insertPushes, patienceMs } from '../notifications/PushRows.ts';
import type { MessageRow } from './tables.ts';

export type NewMessage = Pick<
  MessageRow,
  'id' | 'conversation' | 'sender' | 'recipient' | 'type' | 'content' | 'mediaId' | 'replyTo'
>;

interface WriterDeps {
  db: NodePgDatabase;
  pool: pg.Pool;
  jobs: Pick<ScheduledJobs, 'expect'>;
}

/** What was stored for a new message. Functions return null instead if a message with this id already exists. */
export interface Stored {
  sentAt: Date;
  /** The number of `message:sent` in the event log of the sender. */
  sent: number;
  /** Who gets `message:received`, and its number in the event log of each. Empty if the recipient has blocked the sender. */
  received: { wallet: Address; sequence: number }[];
}

/** A row of the statement's result: there is one for the sender and one for each recipient. */
interface StoredRow extends Record<string, unknown> {
  n: number;
  wallet: Address;
  sequence: string;
  /** Milliseconds since the epoch. */
  sent_at: number;
}

/** The maximum number of messages per statement. The fixed cost of a statement and its commit, about 0.6 ms, is then little per message. */
const groupSize = 256;
type Queue = GroupCommit<NewMessage, Stored | null>;

/**
 * Stores messages with their events. Messages that arrive at the same time share one statement, one round trip and one commit. The
 * statement locks conversations first, then their members, and event logs last, each in the order of their ids, so that no two statements
 * deadlock.
 */
export class MessageWriter {
  readonly #deps: WriterDeps;
  /** While the database stores a group of one queue, this process prepares the next group of the other. */
  readonly #queues: [Queue, Queue];

  constructor(deps: WriterDeps) {
    this.#deps = deps;
    const write = (items: NewMessage[]) => retryConflicts(() => this.#insert(items));
    this.#queues = [new GroupCommit({ size: groupSize, write }), new GroupCommit({ size: groupSize, write })];
  }

  store(message: NewMessage): Promise<Stored | null> {
    if (isGroup(message.recipient)) return this.storeAnd(message);
    // A conversation always uses the same queue, so its messages are stored in order of arrival.
    const last = message.conversation.charCodeAt(message.conversation.length - 1);
    return this.#queues[last % 2 === 0 ? 0 : 1].run(message);
  }

  /**
   * Stores a message in a transaction of its own.
   * @param then more work for the transaction, which is done only for a new message
   */
  storeAnd(message: NewMessage, then?: (executor: Executor) => Promise<void>): Promise<Stored | null> {
    const isToGroup = isGroup(message.recipient);
    return retryConflicts(() =>
      this.#deps.db.transaction(async (executor) => {
        // Until the commit, the members of a group stay the same: the statement sees them as they are after this lock.
        if (isToGroup)
          await executor.execute(
            sql`SELECT FROM conversations WHERE id = ${message.conversation} FOR UPDATE`,
          );
        const columns = columnsOf([message]).map((column) => sql.param(column));
        const text = isToGroup ? insertInGroup : insertText;
        const { rows } = await executor.execute<StoredRow>(withParameters(text, columns));
        const [stored] = toStored([message], rows);
        if (stored) await then?.(executor);
        this.#deps.jobs.expect(patienceMs);
        return stored ?? null;
      }),
    );
  }

  async #insert(items: NewMessage[]): Promise<(Stored | null)[]> {
    // If two messages have the same id, only the first is stored, and the second counts as stored already.
    const ids = new Set<string>();
    const distinct = items.filter(({ id }) => !ids.has(id) && ids.add(id));
    const { rows } = await this.#deps.pool.query<StoredRow>({
      name: 'store messages',
      text: insertText,
      values: columnsOf(distinct),
    });
    this.#deps.jobs.expect(patienceMs);
    const stored = toStored(distinct, rows);
    let next = 0;
    return items.map((item) => (item === distinct[next] ? (stored[next++] ?? null) : null));
  }
}

function columnsOf(items: NewMessage[]): unknown[][] {
  return [
    items.map((_item, index) => index),
    items.map(({ id }) => id),
    items.map(({ conversation }) => conversation),
    items.map(({ sender }) => sender),
    items.map(({ recipient }) => recipient),
    items.map(({ type }) => type),
    items.map(({ content }) => content),
    items.map(({ mediaId }) => mediaId),
    items.map(({ replyTo }) => replyTo),
  ];
}

function toStored(items: NewMessage[], rows: StoredRow[]): (Stored | null)[] {
  const stored = items.map((): Stored | null => null);
  for (const { n, wallet, sequence, sent_at: sentAt } of rows) {
    const each = (stored[n] ??= { sentAt: new Date(sentAt), sent: 0, received: [] });
    if (wallet === items[n]?.sender) each.sent = Number(sequence);
    else each.received.push({ wallet, sequence: Number(sequence) });
  }
  return stored;
}

/** The parts of the statement that differ between two wallets and a group. */
interface Parts {
  /** Whether the recipient has blocked the sender of `g`. */
  blocked: string;
  /** Whether the sender of `g` may write. */
  mayWrite: string;
  /** Whether one of `given`, whose sender sorts before or after its recipient, reaches the recipient. */
  wrote: (order: '<' | '>') => string;
  /** The CTE `joined`, which adds the wallets to the conversation, and keeps the hour of its latest message. */
  joined: string;
  /** Selects those who get the messages in `placed`: all its columns, and `wallet`. */
  reached: string;
}

const insertOf = ({ blocked, mayWrite, joined, reached, wrote }: Parts) => `
  WITH given AS MATERIALIZED (
    SELECT g.*, ${blocked} AS blocked
    FROM unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
      $9::text[]) AS g (n, id, conversation, sender, recipient, type, content, media_id, reply_to)
    -- Not as EXISTS: the plan is kept, and one made for a small table would read all of what has become a large one.
    WHERE (SELECT m.id FROM wallet_messages m WHERE m.id = g.id) IS NULL AND ${mayWrite}
  ), touched AS (
    INSERT INTO conversations AS c (id, messages, latest_at, first_wrote, second_wrote)
    SELECT conversation, count(*), now(), ${wrote('<')}, ${wrote('>')} FROM given GROUP BY conversation ORDER BY conversation
    ON CONFLICT (id) DO UPDATE SET messages = c.messages + excluded.messages,
      latest_at = greatest(excluded.latest_at, c.latest_at + excluded.messages * interval '1 millisecond'), previous_at = c.latest_at,
      first_wrote = c.first_wrote OR excluded.first_wrote, second_wrote = c.second_wrote OR excluded.second_wrote
    RETURNING id, messages, latest_at, previous_at
  ), placed AS MATERIALIZED (
    SELECT g.*, json_build_object('messageId', g.id) AS payload, date_trunc('hour', t.latest_at, 'UTC') AS active_at,
      t.previous_at IS NULL OR t.previous_at < date_trunc('hour', t.latest_at, 'UTC') AS is_first_of_hour,
      t.latest_at - (count(*) OVER (PARTITION BY g.conversation)
        - row_number() OVER (PARTITION BY g.conversation ORDER BY g.n)) * interval '1 millisecond' AS sent_at
    -- FULL, although each row has its match: the planner expects one row, and would compare all pairs instead of making a hash table.
    FROM given g FULL JOIN touched t ON t.id = g.conversation
  ), ${joined} stored AS (
    INSERT INTO wallet_messages (id, conversation, sender, recipient, type, content, media_id, reply_to, sent_at, blocked)
    SELECT id, conversation, sender, recipient, type, content, media_id, reply_to, sent_at, blocked FROM placed
  ), reached AS MATERIALIZED (
    ${reached}
  ), offered AS (
    SELECT 'message' AS kind, id AS subject, sender, wallet AS recipient, NULL::text AS type, sent_at AS at,
      NULL::timestamptz AS expires_at
    FROM reached
  ), pushes AS (${insertPushes('offered')}
  ), new_events AS MATERIALIZED (
    SELECT n, sent_at, sender AS wallet, 'message:sent' AS event, payload FROM placed
    -- So that members are locked before event logs, as by receipts: PostgreSQL runs a CTE that nobody reads last.
    WHERE (SELECT count(*) FROM joined) >= 0
    UNION ALL SELECT n, sent_at, wallet, 'message:received', payload FROM reached
  ), ${numberAndLog('new_events')}
  SELECT n, wallet, sequence, (extract(epoch FROM sent_at) * 1000)::float8 AS sent_at
  FROM numbered`;

const insertText = insertOf({
  blocked: 'EXISTS (SELECT FROM blocks b WHERE b.wallet = g.recipient AND b.blocked = g.sender)',
  mayWrite: 'true',
  wrote: (order) => `bool_or(NOT blocked AND sender ${order} recipient COLLATE "C")`,
  joined: `joined AS (
    INSERT INTO conversation_members AS c (wallet, conversation, peer, active_at)
    SELECT sender, conversation, recipient, active_at FROM placed WHERE is_first_of_hour
    UNION SELECT recipient, conversation, sender, active_at FROM placed WHERE is_first_of_hour
    ORDER BY conversation, sender
    ON CONFLICT (wallet, conversation) DO UPDATE SET active_at = greatest(c.active_at, excluded.active_at)
    RETURNING c.conversation
  ),`,
  reached: 'SELECT *, recipient AS wallet FROM placed WHERE NOT blocked',
});

/** A block between two members has no effect in their group. */
const insertInGroup = insertOf({
  blocked: 'false',
  mayWrite: `EXISTS (
      SELECT FROM group_members m WHERE m.wallet = g.sender AND m.group_id = g.recipient AND m.standing = 'member')`,
  wrote: () => 'false',
  joined: `joined AS (
    UPDATE conversation_members c SET active_at = p.active_at
    FROM (SELECT DISTINCT conversation, active_at FROM placed WHERE is_first_of_hour) p JOIN group_members m ON m.group_id = p.conversation
    WHERE m.standing = 'member' AND c.wallet = m.wallet AND c.conversation = p.conversation AND c.active_at < p.active_at
    RETURNING c.conversation
  ),`,
  reached: `SELECT p.*, m.wallet FROM placed p JOIN group_members m ON m.group_id = p.recipient
    WHERE m.standing = 'member' AND m.wallet <> p.sender`,
});

/** The statement in Drizzle's form, with parameters. */
function withParameters(text: string, columns: unknown[]): SQL {
  const parts = text.split(/\$\d/);
  return sql.join(
    parts.flatMap((part, index) => [
      sql.raw(part),
      ...(index < columns.length ? [sql`${columns[index]}`] : []),
    ]),
  );
}
