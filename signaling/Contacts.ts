import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Executor } from '../platform/database/Executor.ts';
import type { Address } from '../sdk/protocol/common.ts';
import { conversationId } from './messages/conversationId.ts';
import { hasWritten } from './messages/tables.ts';

/** The maximum number of messages that are searched, so that a long conversation cannot make the query expensive. */
const messagesLookedAt = 1_000;

/**
 * A wallet's contacts: those that it has saved under a name, and those that it has contacted. Only the wallet's own actions add a contact. Actions of other wallets do not count, because anyone can create any
 * number of wallets for free.
 */
export class Contacts {
  readonly #db: NodePgDatabase;

  constructor(db: NodePgDatabase) {
    this.#db = db;
  }

  /** Whether the wallet has saved the other one as a contact, called it, answered its call, or sent it a message. */
  async knows(wallet: Address, other: Address, executor: Executor = this.#db): Promise<boolean> {
    const conversation = conversationId(wallet, other);
    const { rows } = await executor.execute<{ known: boolean }>(sql`SELECT
      EXISTS (SELECT FROM saved_contacts WHERE wallet = ${wallet} AND contact = ${other})
      OR EXISTS (SELECT FROM calls WHERE caller = ${wallet} AND callee = ${other})
      OR EXISTS (SELECT FROM calls WHERE callee = ${wallet} AND caller = ${other} AND answered_at IS NOT NULL)
      OR ${hasWritten(sql`${wallet}`, sql`${other}`, sql`${conversation}`)}
      -- Messages to a wallet that had blocked the sender do not count there.
      OR EXISTS (
        SELECT FROM (
          SELECT sender FROM wallet_messages WHERE conversation = ${conversation}
          ORDER BY sent_at DESC LIMIT ${messagesLookedAt}
        ) latest WHERE sender = ${wallet}
      ) AS known`);
    return rows[0]?.known === true;
  }
}
