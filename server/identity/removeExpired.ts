import { sql } from 'drizzle-orm';
import type { Executor } from '../../platform/database/Executor.ts';

/** More than one sign-in adds, so that the tables shrink; few enough that nobody waits for it. */
const batch = 20;
/** Clocks of nodes differ; and a nonce is checked a moment before it is used. */
const slack = sql`interval '5 minutes'`;

/**
 * Removes some of what has expired: used nonces, refresh tokens, and sessions whose last refresh token that was (they outlive
 * every session token). By the indexes on expiry; what another sign-in is removing at this moment is left to it.
 */
export async function removeExpired(executor: Executor): Promise<void> {
  await executor.execute(sql`
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
}
