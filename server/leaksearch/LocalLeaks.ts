import { and, desc, eq, gte, lte, or, sql } from 'drizzle-orm';
import type { LeakQueryType } from '../../sdk/protocol/leaksearch.ts';
import type { Database } from '../../platform/database/database.ts';
import { leakedPassword, type FoundLeaks, type LeakSource } from './LeakSource.ts';
import { hashOf } from './query.ts';
import { leakBreaches, leakEntries, leakPasswords } from './tables.ts';

/**
 * The maximum number of results. A range of Pwned Passwords has about 1,000 entries, and no identifier is in more breaches than this limit.
 */
const maxShown = 2_000;
const shown = {
  source: leakBreaches.source,
  title: leakBreaches.title,
  domain: leakBreaches.domain,
  breachDate: leakBreaches.breachDate,
  dataClasses: leakBreaches.dataClasses,
  verified: leakBreaches.verified,
  records: leakBreaches.records,
};

/** Searches the index that `npm run import:leaks` fills. */
export class LocalLeaks implements LeakSource {
  readonly #deps: { db: Database; key: Buffer };

  /** @param deps.key the key of the index; it must be the same as the importer's */
  constructor(deps: { db: Database; key: Buffer }) {
    this.#deps = deps;
  }

  async search(type: LeakQueryType, query: string): Promise<FoundLeaks> {
    if (type === 'password_sha1_prefix') return this.#range(query);
    const isIn = sql`EXISTS (SELECT 1 FROM ${leakEntries} WHERE ${leakEntries.breachId} = ${leakBreaches.id}
      AND ${leakEntries.hash} = ${hashOf(this.#deps.key, type, query)})`;
    const found = await this.#deps.db
      .select(shown)
      .from(leakBreaches)
      // For a domain: the breaches of the domain itself, and those that contain addresses of it.
      .where(type === 'domain' ? or(isIn, eq(leakBreaches.domain, query)) : isIn)
      .orderBy(desc(sql`coalesce(${leakBreaches.breachDate}, '')`), leakBreaches.id);
    return { total: found.length, results: found.slice(0, maxShown) };
  }

  async #range(prefix: string): Promise<FoundLeaks> {
    const end = (digit: string) => Buffer.from(prefix.padEnd(40, digit), 'hex');
    const found = await this.#deps.db
      .select()
      .from(leakPasswords)
      .where(and(gte(leakPasswords.sha1, end('0')), lte(leakPasswords.sha1, end('f'))))
      .orderBy(leakPasswords.sha1);
    const results = found.map(({ sha1, count }) =>
      leakedPassword(sha1.toString('hex').slice(prefix.length), count),
    );
    return { total: results.length, results: results.slice(0, maxShown) };
  }
}
