import type pg from 'pg';
import { toIso, type Address } from '../../sdk/protocol/common.ts';
import type { WireReceipt } from '../../sdk/protocol/messages.ts';
import type { AppendedEvent, EventLog } from '../events/EventLog.ts';
import { deliveryMetrics } from '../../platform/metrics/metrics.ts';
import { numberAndLog } from '../events/numberAndLog.ts';
import { GroupCommit, retryConflicts } from '../../platform/database/GroupCommit.ts';

interface Mark {
  wallet: Address;
  messageId: string;
}

type Kind = 'delivered' | 'read';

interface MarkedRow {
  wallet: Address;
  payload: WireReceipt;
  sequence: string;
  /** Seconds since the message was sent. */
  age: number;
}

interface ReceiptsDeps {
  pool: pg.Pool;
  events: Pick<EventLog, 'deliver' | 'doubt'>;
}

const groupSize = 500;
/** The maximum number of messages of a group for which one mark tells their senders. The senders of older ones see it when they read them. */
const groupMessages = 1_000;

/**
 * Receipts: for each conversation, the times up to which a wallet has received and read it. These marks only move forward, so requests may
 * be repeated and may arrive in any order. Only a request that moves a mark sends events.
 */
export class Receipts {
  readonly #deps: ReceiptsDeps;
  readonly #delivered: GroupCommit<Mark, undefined>;
  readonly #read: GroupCommit<Mark, undefined>;
  /** Messages whose marks may have been stored without their events being sent. */
  readonly #doubtful = new Set<string>();

  constructor(deps: ReceiptsDeps) {
    this.#deps = deps;
    this.#delivered = new GroupCommit({ size: groupSize, write: (marks) => this.#mark(marks, 'delivered') });
    this.#read = new GroupCommit({ size: groupSize, write: (marks) => this.#mark(marks, 'read') });
  }

  /** Records that a device of the wallet has these messages. Messages to other wallets are ignored. */
  async delivered(wallet: Address, messageIds: string[]): Promise<void> {
    await Promise.all(messageIds.map((messageId) => this.#delivered.run({ wallet, messageId })));
  }

  async read(wallet: Address, messageId: string): Promise<void> {
    await this.#read.run({ wallet, messageId });
  }

  async #mark(marks: Mark[], kind: Kind): Promise<undefined[]> {
    const { events } = this.#deps;
    try {
      await events.deliver(await retryConflicts(() => this.#store(marks, kind)));
    } catch (error) {
      // The connection to the database was lost, so it is unknown whether the marks were stored, and for whom there are events.
      for (const { messageId } of marks) this.#doubtful.add(messageId);
      events.doubt(this.#findWallets);
      throw error;
    }
    return marks.map(() => undefined);
  }

  /** The wallets in the conversations of the doubtful messages. */
  readonly #findWallets = async (): Promise<Address[]> => {
    const ids = [...this.#doubtful];
    const { rows } = await this.#deps.pool.query<{ wallet: Address }>(
      `SELECT DISTINCT wallet FROM conversation_members WHERE conversation IN (
        SELECT conversation FROM wallet_messages WHERE id = ANY($1::text[]))`,
      [ids],
    );
    for (const id of ids) this.#doubtful.delete(id);
    return rows.map(({ wallet }) => wallet);
  };

  /** Uses a single statement, so that no lock is held while this process does other work. */
  async #store(marks: Mark[], kind: Kind): Promise<AppendedEvent[]> {
    const { rows } = await this.#deps.pool.query<MarkedRow>({
      name: `mark ${kind}`,
      text: markText[kind],
      values: [marks.map(({ wallet }) => wallet), marks.map(({ messageId }) => messageId), toIso(new Date())],
    });
    // A message gets a later time than the one before it, which may lie ahead by some milliseconds.
    if (kind === 'delivered') for (const { age } of rows) deliveryMetrics.messages.observe(Math.max(0, age));
    return rows.map(({ wallet, payload, sequence }) => ({
      wallet,
      event: `message:${kind}`,
      payload,
      sequence: Number(sequence),
    }));
  }
}

const markText = {
  delivered: markTextOf('delivered', '', ''),
  // Reading implies delivery. The reader's other devices also need the event for their unread counts.
  read: markTextOf(
    'read',
    ', delivered_until = greatest(c.delivered_until, g.sent_at)',
    'UNION ALL SELECT m.*, m.recipient FROM marked m JOIN moved v ON v.id = m.id AND v.recipient = m.recipient',
  ),
};

/**
 * In a group, the mark of a member covers messages of several senders. Each of them gets an event about its latest message that was not marked
 * before.
 * @param also SQL that sets another column @param others SQL that adds recipients of the events; without it, only the senders get them
 */
function markTextOf(kind: Kind, also: string, others: string): string {
  return `
    WITH given AS (
      SELECT DISTINCT ON (m.conversation, g.wallet) m.id, m.conversation, g.wallet AS recipient, m.sender, m.sent_at,
        m.recipient LIKE 'grp\\_%' AS is_in_group
      FROM unnest($1::text[], $2::text[]) AS g (wallet, id)
        -- With a limit each is looked up by its id: the plan is kept, and the table grows.
        CROSS JOIN LATERAL (SELECT * FROM wallet_messages m WHERE m.id = g.id LIMIT 1) m
      WHERE m.recipient = g.wallet AND NOT m.blocked OR m.sender <> g.wallet AND EXISTS (
        SELECT FROM group_members o WHERE o.wallet = g.wallet AND o.group_id = m.recipient AND m.sent_at <@ o.seen)
      ORDER BY m.conversation, g.wallet, m.sent_at DESC
    ), moved AS (
      UPDATE conversation_members c SET ${kind}_until = g.sent_at ${also}
      FROM given g WHERE c.wallet = g.recipient AND c.conversation = g.conversation
        AND (c.${kind}_until IS NULL OR c.${kind}_until < g.sent_at)
      -- The mark as it was before this statement. It is looked up for groups only.
      RETURNING g.*, (
        SELECT before.${kind}_until FROM conversation_members before
        WHERE g.is_in_group AND before.wallet = g.recipient AND before.conversation = g.conversation) AS before
    ), marked AS (
      SELECT id, conversation, recipient, sender, sent_at FROM moved WHERE NOT is_in_group
      UNION ALL SELECT latest.id, conversation, recipient, latest.sender, latest.sent_at FROM moved g
        CROSS JOIN LATERAL (
          SELECT DISTINCT ON (m.sender) m.id, m.sender, m.sent_at FROM (
            SELECT * FROM wallet_messages m WHERE m.conversation = g.conversation
              AND m.sent_at <= g.sent_at AND m.sent_at > coalesce(g.before, '-infinity')
            ORDER BY m.sent_at DESC LIMIT ${groupMessages}
          ) m
          JOIN group_members o ON o.wallet = g.recipient AND o.group_id = m.recipient AND m.sent_at <@ o.seen
          WHERE m.sender <> g.recipient
          ORDER BY m.sender, m.sent_at DESC
        ) latest WHERE is_in_group
    ), recipients AS (
      SELECT *, sender AS wallet FROM marked ${others}
    ), new_events AS MATERIALIZED (
      SELECT row_number() OVER () AS n, wallet, 'message:${kind}' AS event, json_build_object('messageId', id,
        'conversationId', conversation, 'by', recipient, 'from', sender, 'at', $3::text) AS payload, sent_at FROM recipients
    ), ${numberAndLog('new_events')}
    SELECT wallet, payload, sequence, extract(epoch FROM now() - sent_at)::float8 AS age FROM numbered`;
}
