import { sql } from 'drizzle-orm';
import type { Executor } from '../../platform/database/Executor.ts';

/**
 * The maximum number of rows of each table that a sign-in removes. It is more than a sign-in adds, so that the tables shrink, and small
 * enough to be fast.
 */
const batch = 20;
/** Tolerance for differences between the clocks of nodes, and for the time between checking and using a nonce. */
const slack = sql`interval '5 minutes'`;

/**
 * Removes some expired rows: used nonces, refresh tokens, and sessions whose refresh tokens have all expired. Refresh tokens live longer
 * than access tokens, so such a session has no valid access token either. Rows that another sign-in is removing are skipped.
 * @returns how many nonces and refresh tokens were removed
 */
export async function removeExpired(executor: Executor): Promise<number> {
  const nonces = await executor.execute(sql`
    DELETE FROM used_nonces WHERE nonce IN (
      SELECT nonce FROM used_nonces WHERE expires_at < now() - ${slack}
      ORDER BY expires_at LIMIT ${batch} FOR UPDATE SKIP LOCKED)`);
  const removed = await executor.execute<{ session_id: string }>(sql`
    DELETE FROM refresh_tokens WHERE hash IN (
      SELECT hash FROM refresh_tokens WHERE expires_at < now() - ${slack}
      ORDER BY expires_at LIMIT ${batch} FOR UPDATE SKIP LOCKED)
    RETURNING session_id`);
  for (const id of new Set(removed.rows.map((row) => row.session_id))) {
    await executor.execute(sql`
      DELETE FROM sessions WHERE id = ${id}
      AND NOT EXISTS (SELECT FROM refresh_tokens WHERE session_id = ${id})`);
  }
  return (nonces.rowCount ?? 0) + (removed.rowCount ?? 0);
}
