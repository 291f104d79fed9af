import { and, desc, eq } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { blocks } from './tables.ts';

const maxBlocked = 10_000;

/** The wallets that each wallet has blocked. A blocked caller cannot tell: its call rings without an answer. */
export class BlockList {
  readonly #db: NodePgDatabase;

  constructor(db: NodePgDatabase) {
    this.#db = db;
  }

  async block(wallet: Address, blocked: Address): Promise<void> {
    if (wallet === blocked)
      throw new ParleyError(
        'VALIDATION_ERROR',
        'address: a wallet cannot block itself; name another wallet.',
      );
    if ((await this.#db.$count(blocks, eq(blocks.wallet, wallet))) >= maxBlocked) {
      throw new ParleyError('CONFLICT', `A wallet may block ${maxBlocked} others: unblock one first.`);
    }
    await this.#db.insert(blocks).values({ wallet, blocked }).onConflictDoNothing();
  }

  async unblock(wallet: Address, blocked: Address): Promise<void> {
    await this.#db.delete(blocks).where(and(eq(blocks.wallet, wallet), eq(blocks.blocked, blocked)));
  }

  /** The most recently blocked wallet comes first. */
  async list(wallet: Address): Promise<Address[]> {
    const rows = await this.#db
      .select()
      .from(blocks)
      .where(eq(blocks.wallet, wallet))
      .orderBy(desc(blocks.createdAt));
    return rows.map((row) => row.blocked);
  }

  async has(wallet: Address, blocked: Address): Promise<boolean> {
    const own = and(eq(blocks.wallet, wallet), eq(blocks.blocked, blocked));
    const [row] = await this.#db.select().from(blocks).where(own);
    return row !== undefined;
  }
}
