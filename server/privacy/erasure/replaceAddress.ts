import { getTableName, sql } from 'drizzle-orm';
import type { Database } from '../../../platform/database/database.ts';
import { onChain, type Address } from '../../../sdk/protocol/address.ts';
import { registry } from '../registry/registry.ts';

/** The size of a page of PostgreSQL, and how many pages one statement reads. */
const [pageBytes, pagesAtOnce] = [8_192, 256];
const texts = ['text', 'text[]', 'json', 'jsonb', 'tsvector'];

/**
 * Replaces an address in all columns of all tables that hold text: in what others keep about the person, in their events, and in lists and
 * settings. Each statement reads some pages of a table and changes the rows in which the address is found, in any spelling.
 */
export async function replaceAddress(db: Database, wallet: Address, pseudonym: Address): Promise<void> {
  const inTexts = { pattern: await patternOf(db, wallet), by: pseudonym };
  const inWords = { pattern: wordPatternOf(wallet), by: pseudonym.toLowerCase() };
  const ofType = (type: string) => (type === 'tsvector' ? inWords : inTexts);
  for (const { table } of registry) {
    const name = getTableName(table);
    const columns = await textColumnsOf(db, name);
    if (columns.length === 0) continue;
    const replaced = columns.map(({ column, type }) => {
      const { pattern, by } = ofType(type);
      return sql`${sql.identifier(column)} = regexp_replace(${sql.identifier(column)}::text, ${pattern}, ${by}, 'gi')::${sql.raw(type)}`;
    });
    const found = columns.map(
      ({ column, type }) => sql`${sql.identifier(column)}::text ~* ${ofType(type).pattern}`,
    );
    const pages = await pagesOf(db, name);
    for (let first = 0; first < pages; first += pagesAtOnce)
      await db.execute(sql`
        UPDATE ${table} SET ${sql.join(replaced, sql`, `)}
        WHERE ctid >= ${`(${first},0)`}::tid AND ctid < ${`(${first + pagesAtOnce},0)`}::tid AND (${sql.join(found, sql` OR `)})`);
  }
}

/**
 * A regular expression of PostgreSQL for the spellings of a wallet. A contract wallet has the same address on other chains, where it may be
 * another person's: there, it stays.
 */
async function patternOf(db: Database, wallet: Address): Promise<string> {
  const { address, chainId } = onChain(wallet);
  const end = '(?![0-9a-f])';
  if (chainId === null) return `(?<!eip155:\\d{1,15}:)${address}${end}`;
  const { rows } = await db.execute(sql`
    SELECT FROM accounts WHERE wallet ~* ${`${address}$`} AND wallet <> ${wallet} LIMIT 1`);
  const isOthers = rows.length > 0;
  return isOthers ? `eip155:${chainId}:${address}${end}` : `(eip155:${chainId}:)?${address}${end}`;
}

/**
 * The same for the words of messages. They do not tell the chain of an address, so it is replaced on all chains: others then only miss a
 * message when they search for the address. An earlier release has cut words after 40 characters, which are 38 digits of an address.
 */
function wordPatternOf(wallet: Address): string {
  const { address } = onChain(wallet);
  return `${address.slice(0, 40)}(${address.slice(40)}(?![0-9a-f])|(?='))`;
}

/** The columns that may hold an address, as the database has them now. */
async function textColumnsOf(db: Database, table: string): Promise<{ column: string; type: string }[]> {
  const { rows } = await db.execute<{ column: string; type: string }>(sql`
    SELECT attname AS column, format_type(atttypid, atttypmod) AS type FROM pg_attribute
    WHERE attrelid = ${table}::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
      AND format_type(atttypid, atttypmod) = ANY(${sql.param(texts)}::text[])`);
  return rows;
}

async function pagesOf(db: Database, table: string): Promise<number> {
  const { rows } = await db.execute<{ bytes: string }>(
    sql`SELECT pg_relation_size(${table}::regclass) AS bytes`,
  );
  return Math.ceil(Number(rows[0]?.bytes ?? 0) / pageBytes);
}
