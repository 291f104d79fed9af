import type pg from 'pg';

/** A write of a row, for example `UPDATE OF answer ON idempotency_keys`; further conditions on the row are in `when`. */
export interface HeldWrite {
  write: string;
  when?: string;
  /** Whether to hold the commit of the transaction instead of the write itself. */
  atCommit?: boolean;
}

/** Holds all transactions at such a write, and no longer at others, until the client's connection closes. @returns a function that counts the held transactions */
export async function holdWrites(
  client: pg.ClientBase,
  { write, when = 'true', atCommit = false }: HeldWrite,
): Promise<() => Promise<number>> {
  const trigger = atCommit
    ? `CONSTRAINT TRIGGER held AFTER ${write} DEFERRABLE INITIALLY DEFERRED`
    : `TRIGGER held BEFORE ${write}`;
  await client.query(`
    DROP FUNCTION IF EXISTS hold CASCADE;
    CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NEW; END';
    CREATE ${trigger} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION hold();
    SELECT pg_advisory_lock(7)`);
  return async () => {
    const { rows } = await client.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND objid = 7 AND NOT granted`,
    );
    return rows[0]?.n ?? 0;
  };
}
