import type pg from 'pg';

export interface Inserted {
  id: string;
  from: string;
  to: string;
  type: string;
  content: string;
}

/**
 * The number of connections of a pool. PostgreSQL has 60 for Parley and both baselines. With 32, a fast machine of two cores inserts a
 * quarter more.
 */
export const connections = 16;

/** Stores messages in the simplest way: one row, one prepared statement, one commit. */
export async function insertInto(pool: pg.Pool, table: string): Promise<(row: Inserted) => Promise<unknown>> {
  await pool.query(`CREATE TABLE ${table} (id text PRIMARY KEY, sender text NOT NULL, recipient text NOT NULL,
    type text NOT NULL, content text NOT NULL, sent_at timestamptz NOT NULL DEFAULT now())`);
  return ({ id, from, to, type, content }) =>
    pool.query({
      name: 'insert',
      text: `INSERT INTO ${table} (id, sender, recipient, type, content) VALUES ($1, $2, $3, $4, $5)`,
      values: [id, from, to, type, content],
    });
}
