import type pg from 'pg';
import { toIso, type Address } from '../../sdk/protocol/common.ts';
import type { WireReceipt } from '../../sdk/protocol/messages.ts';
import type { AppendedEvent, EventLog } from '../events/EventLog.ts';
import { numberAndLog } from '../events/numberAndLog.ts';
import { GroupCommit, retried } from '../../platform/database/GroupCommit.ts';

interface Mark {
  wallet: Address;
  messageId: string;
}

type Kind = 'delivered' | 'read';

interface MarkedRow {
  wallet: Address;
  payload: WireReceipt;
  sequence: string;
}

const groupSize = 500;

/**
 * How far wallets have got in their conversations: a mark each for what their devices have, and for what they have read. A mark
 * goes forward only, so that it may be set again and in any order; whoever moves it tells.
 */
export class Receipts {
  readonly #pool: pg.Pool;
  readonly #events: Pick<EventLog, 'tell'>;
  readonly #delivered: GroupCommit<Mark, undefined>;
  readonly #read: GroupCommit<Mark, undefined>;

  constructor({ pool, events }: { pool: pg.Pool; events: Pick<EventLog, 'tell'> }) {
    this.#pool = pool;
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

  async #mark(marks: Mark[], kind: Kind): Promise<undefined[]> {
    const appended = await retried(() => this.#store(marks, kind));
    await this.#events.tell(appended);
    return marks.map(() => undefined);
  }

  /** One statement, so that nobody waits for wallets that are held while this process has other things to do. */
  async #store(marks: Mark[], kind: Kind): Promise<AppendedEvent[]> {
    const { rows } = await this.#pool.query<MarkedRow>({
      name: `mark ${kind}`,
      text: markText[kind],
      values: [marks.map(({ wallet }) => wallet), marks.map(({ messageId }) => messageId), toIso(new Date())],
    });
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
  // What is read is there; and the reader's other devices count what is unread, too.
  read: markTextOf(
    'read',
    ', delivered_until = greatest(c.delivered_until, g.sent_at)',
    'UNION ALL SELECT *, recipient FROM marked',
  ),
};

/** @param also is set of the marked, too @param others who hear of it beside the sender */
function markTextOf(kind: Kind, also: string, others: string): string {
  return `
    WITH given AS (
      SELECT DISTINCT ON (m.conversation, m.recipient) m.id, m.conversation, m.recipient, m.sender, m.sent_at
      FROM unnest($1::text[], $2::text[]) AS g (wallet, id)
        -- With a limit each is looked up by its id: the plan is kept, and the table grows.
        CROSS JOIN LATERAL (SELECT * FROM wallet_messages m WHERE m.id = g.id LIMIT 1) m
      WHERE m.recipient = g.wallet AND NOT m.blocked
      ORDER BY m.conversation, m.recipient, m.sent_at DESC
    ), marked AS (
      UPDATE conversation_members c SET ${kind}_until = g.sent_at ${also} FROM given g
      WHERE c.wallet = g.recipient AND c.conversation = g.conversation
        AND (c.${kind}_until IS NULL OR c.${kind}_until < g.sent_at)
      RETURNING g.id, g.conversation, g.recipient, g.sender
    ), told AS (
      SELECT *, sender AS wallet FROM marked ${others}
    ), news AS MATERIALIZED (
      SELECT row_number() OVER () AS n, wallet, 'message:${kind}' AS event, json_build_object('messageId', id,
        'conversationId', conversation, 'by', recipient, 'from', sender, 'at', $3::text) AS payload FROM told
    ), ${numberAndLog('news')}
    SELECT wallet, payload, sequence FROM numbered`;
}
