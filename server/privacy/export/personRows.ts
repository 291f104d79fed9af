import type { SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type pg from 'pg';

const dialect = new PgDialect();
const pageSize = 500;
/**
 * How long a statement may take, and its reader until the next one. The usual limits are for the requests of users: a list that no index
 * knows reads a whole table, and the disk may be slow.
 */
const limitMs = 10 * 60_000;

/** Reads the rows of a query page by page, so that a long list needs little memory. */
export async function* pagesOf<Row>(pool: pg.Pool, query: SQL): AsyncGenerator<Row[]> {
  const { sql: text, params } = dialect.sqlToQuery(query);
  const client = await pool.connect();
  let isDone = false;
  try {
    await client.query(
      `BEGIN READ ONLY; SET LOCAL statement_timeout = ${limitMs}; SET LOCAL idle_in_transaction_session_timeout = ${limitMs}`,
    );
    await client.query(`DECLARE pages NO SCROLL CURSOR FOR ${text}`, params);
    const fetch = { text: `FETCH ${pageSize} FROM pages`, query_timeout: limitMs } as pg.QueryConfig;
    for (;;) {
      const { rows } = await client.query(fetch);
      if (rows.length > 0) yield rows as Row[];
      if (rows.length < pageSize) break;
    }
    await client.query('COMMIT');
    isDone = true;
  } finally {
    // A connection in the middle of a transaction is not used again.
    client.release(!isDone);
  }
}

/** Writes the rows as a JSON list. The names of columns become those of the API. */
export async function* asJson(
  pages: AsyncIterable<{ row: Record<string, unknown> }[]>,
): AsyncGenerator<string> {
  let before = '[\n';
  for await (const rows of pages) {
    yield before + rows.map(({ row }) => JSON.stringify(named(row))).join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

const named = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
