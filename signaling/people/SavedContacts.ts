import { and, eq, inArray, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { z } from 'zod';
import { safeParse, type Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { WireSavedContact } from '../../sdk/protocol/people.ts';
import type { RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import { savedContacts } from './tables.ts';

const maxContacts = 5_000;

/** The sorting key of the last contact of a page. */
const place = z.tuple([z.string(), z.string()]);

/** The wallets that each wallet has saved under a name. Nobody else can read them. */
export class SavedContacts {
  readonly #db: NodePgDatabase;

  constructor(db: NodePgDatabase) {
    this.#db = db;
  }

  async save(wallet: Address, contact: Address, name: string): Promise<void> {
    if (wallet === contact)
      throw new ParleyError(
        'VALIDATION_ERROR',
        'address: a wallet cannot save itself as a contact; set its name with setProfile().',
      );
    await this.#db.transaction(async (tx) => {
      // Contacts that are saved at the same time are counted one after the other.
      await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`contacts ${wallet}`}, 0))`);
      const changed = await tx
        .update(savedContacts)
        .set({ name })
        .where(and(eq(savedContacts.wallet, wallet), eq(savedContacts.contact, contact)))
        .returning();
      if (changed.length > 0) return;
      const { rows } = await tx.execute<{ count: number }>(
        sql`SELECT count(*)::int AS count FROM saved_contacts WHERE wallet = ${wallet}`,
      );
      if ((rows[0]?.count ?? 0) >= maxContacts)
        throw new ParleyError('CONFLICT', `A wallet may save ${maxContacts} contacts: remove one first.`);
      await tx.insert(savedContacts).values({ wallet, contact, name });
    });
  }

  async remove(wallet: Address, contact: Address): Promise<void> {
    await this.#db
      .delete(savedContacts)
      .where(and(eq(savedContacts.wallet, wallet), eq(savedContacts.contact, contact)));
  }

  async namesOf(wallet: Address, contacts: Address[]): Promise<Map<Address, string>> {
    const rows = await this.#db
      .select()
      .from(savedContacts)
      .where(and(eq(savedContacts.wallet, wallet), inArray(savedContacts.contact, contacts)));
    return new Map(rows.map(({ contact, name }) => [contact, name]));
  }

  /** @throws ParleyError VALIDATION_ERROR for an invalid cursor */
  async list(
    wallet: Address,
    { limit, cursor }: RequestOf<'people.contacts'>,
  ): Promise<ResponseOf<'people.contacts'>> {
    const key = sql<string>`lower(${savedContacts.name})`;
    const [name, contact] = cursor === undefined ? [] : placeOf(cursor);
    const after =
      name === undefined ? undefined : sql`(${key}, ${savedContacts.contact}) > (${name}, ${contact})`;
    const rows = await this.#db
      .select({ walletAddress: savedContacts.contact, name: savedContacts.name, key })
      .from(savedContacts)
      .where(and(eq(savedContacts.wallet, wallet), after))
      .orderBy(key, savedContacts.contact)
      .limit(limit + 1);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const hasMore = rows.length > limit;
    return {
      data: shown.map(({ walletAddress, name }): WireSavedContact => ({ walletAddress, name })),
      hasMore,
      nextCursor: hasMore && last ? cursorOf([last.key, last.walletAddress]) : null,
    };
  }
}

const cursorOf = (last: z.infer<typeof place>) => Buffer.from(JSON.stringify(last)).toString('base64url');

function placeOf(cursor: string): z.infer<typeof place> {
  try {
    const found = safeParse(place, JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    if (found.success && !found.data.some((text) => text.includes('\0'))) return found.data;
  } catch {
    // It is not JSON.
  }
  throw new ParleyError(
    'VALIDATION_ERROR',
    'cursor: not a cursor of this list. Use the nextCursor of the previous page, unchanged.',
  );
}
