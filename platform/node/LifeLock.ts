import { sql, type SQL } from 'drizzle-orm';
import type pg from 'pg';
import { nodes } from './tables.ts';

/** The first key of these advisory locks: "life" in ASCII. The second one is a hash of the node's id, or 0: see oneAtATime. */
const lockSpace = 0x6c696665;

/**
 * Shows that the process of a single server lives: an advisory lock on its node's id, held by a connection of its own. PostgreSQL releases
 * it as soon as the process ends, in whatever way, so a server that was killed does not hold up its next start.
 */
export class LifeLock {
  readonly #pool: pg.Pool;
  #client: pg.PoolClient | null = null;
  #isReleased = false;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Takes the lock, unless it is held already. Call it now and then: the connection may have been lost. */
  async hold(nodeId: string): Promise<void> {
    if (this.#client || this.#isReleased) return;
    const client = await this.#pool.connect();
    if (this.#client || this.#isReleased) return client.release();
    this.#client = client;
    client.once('error', () => this.#drop(client));
    try {
      // Shared, because a former connection of this server may still hold it.
      await client.query('SELECT pg_advisory_lock_shared($1, hashtext($2))', [lockSpace, nodeId]);
    } catch (error) {
      this.#drop(client);
      throw error;
    }
  }

  /** Releases the lock. hold() takes it again, for the next life of the node. */
  drop(): void {
    if (this.#client) this.#drop(this.#client);
  }

  /** Releases the lock for good. */
  release(): void {
    this.#isReleased = true;
    this.drop();
  }

  /** Closes the connection, which releases its lock. */
  #drop(client: pg.PoolClient): void {
    if (this.#client !== client) return;
    this.#client = null;
    client.release(true);
  }
}

/** An SQL condition on a row of `nodes`: it is of a single server whose process lives. */
export const isLivingSingle: SQL = sql`(${nodes.address} IS NULL AND EXISTS (
  SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
  WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.classid = ${lockSpace}::int::oid
    AND l.objid = hashtext(${nodes.id})::oid AND l.objsubid = 2))`;

/** A statement that makes servers which start at the same time join one after the other. Until the end of the transaction. */
export const oneAtATime: SQL = sql`SELECT pg_advisory_xact_lock(${lockSpace}::int, 0)`;
