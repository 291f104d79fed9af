import type pg from 'pg';

const limits = [
  'statement_timeout',
  'lock_timeout',
  'transaction_timeout',
  'idle_session_timeout',
  'idle_in_transaction_session_timeout',
];

/** Lifts the time limits of a connection, which the operator may have set for its role or database. Each version of PostgreSQL has some of them. */
export async function liftTimeLimits(client: pg.Client): Promise<void> {
  await client.query("SELECT set_config(name, '0', false) FROM pg_settings WHERE name = ANY($1)", [limits]);
}
