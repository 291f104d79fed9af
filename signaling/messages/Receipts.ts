import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { toIso, type Address } from '../../sdk/protocol/common.ts';
import type { WireReceipt } from '../../sdk/protocol/messages.ts';
import type { AppendedEvent, EventLog, NewEvent } from '../events/EventLog.ts';
import { GroupCommit, retried } from '../GroupCommit.ts';

interface Mark {
  wallet: Address;
  messageId: string;
}

interface MarkedRow extends Record<string, unknown> {
  id: string;
  conversation: string;
  recipient: Address;
  sender: Address;
}

const groupSize = 500;

/**
 * How far wallets have got in their conversations: a mark each for what their devices have, and for what they have read. A mark
 * goes forward only, so that it may be set again and in any order; whoever moves it tells.
 */
export class Receipts {
  readonly #db: NodePgDatabase;
  readonly #events: EventLog;
  readonly #delivered: GroupCommit<Mark, undefined>;
  readonly #read: GroupCommit<Mark, undefined>;

  constructor({ db, events }: { db: NodePgDatabase; events: EventLog }) {
    this.#db = db;
    this.#events = events;
    this.#delivered = new GroupCommit({ size: groupSize, write: (marks) => this.#mark(marks, 'delivered') });
    this.#read = new GroupCommit({ size: groupSize, write: (marks) => this.#mark(marks, 'read') });
  }

  /** A device of the recipient has these messages. Those that are not to this wallet are passed over. */
  async delivered(wallet: Address, messageIds: string[]): Promise<void> {
    await Promise.all(messageIds.map((messageId) => this.#delivered.run({ wallet, messageId })));
  }

  async read(wallet: Address, messageId: string): Promise<void> {
    await this.#read.run({ wallet, messageId });
  }

  async #mark(marks: Mark[], kind: 'delivered' | 'read'): Promise<undefined[]> {
    const appended = await retried(() => this.#store(marks, kind));
    await this.#events.tell(appended);
    return marks.map(() => undefined);
  }

  #store(marks: Mark[], kind: 'delivered' | 'read'): Promise<AppendedEvent[]> {
    const wallets = sql.param(marks.map(({ wallet }) => wallet));
    const ids = sql.param(marks.map(({ messageId }) => messageId));
    const until = sql.raw(`${kind}_until`);
    // What is read is there.
    const also = kind === 'read' ? sql`, delivered_until = greatest(c.delivered_until, g.sent_at)` : sql``;
    return this.#db.transaction(async (executor) => {
      const { rows } = await executor.execute<MarkedRow>(sql`
        WITH given AS (
          SELECT DISTINCT ON (m.conversation, m.recipient) m.id, m.conversation, m.recipient, m.sender, m.sent_at
          FROM unnest(${wallets}::text[], ${ids}::text[]) AS g (wallet, id)
            JOIN wallet_messages m ON m.id = g.id AND m.recipient = g.wallet AND NOT m.blocked
          ORDER BY m.conversation, m.recipient, m.sent_at DESC
        )
        UPDATE conversation_members c SET ${until} = g.sent_at ${also} FROM given g
        WHERE c.wallet = g.recipient AND c.conversation = g.conversation
          AND (c.${until} IS NULL OR c.${until} < g.sent_at)
        RETURNING g.id, g.conversation, g.recipient, g.sender`);
      return this.#events.append(
        executor,
        rows.flatMap((row) => newsOf(row, kind)),
      );
    });
  }
}

function newsOf({ id, conversation, recipient, sender }: MarkedRow, kind: 'delivered' | 'read'): NewEvent[] {
  const payload: WireReceipt = {
    messageId: id,
    conversationId: conversation,
    by: recipient,
    from: sender,
    at: toIso(new Date()),
  };
  const toSender: NewEvent = { wallet: sender, event: `message:${kind}`, payload };
  // The reader's other devices count what is unread, too.
  return kind === 'read' ? [toSender, { ...toSender, wallet: recipient }] : [toSender];
}
