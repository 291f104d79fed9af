import { createHash } from 'node:crypto';
import { and, eq, lt, sql } from 'drizzle-orm';
import { first } from '../../../platform/database/first.ts';
import { isOneOf } from '../../../platform/database/isOneOf.ts';
import type { Database } from '../../../platform/database/database.ts';
import { Outages } from '../../../platform/database/Outages.ts';
import { webrtcSessions, type SessionRow } from './tables.ts';

/** Stores WHIP and WHEP sessions by the id in their URL. */
export class SessionStore {
  readonly #db: Database;
  readonly #outages: Outages;

  constructor(db: Database) {
    this.#db = db;
    this.#outages = new Outages(db);
  }

  async add(sessionId: string, session: Omit<SessionRow, 'idHash' | 'seenAt'>): Promise<void> {
    await this.#db.insert(webrtcSessions).values({ ...session, idHash: hashOf(sessionId) });
  }

  async find(kind: SessionRow['kind'], sessionId: string): Promise<SessionRow | null> {
    return first(this.#db.select().from(webrtcSessions).where(named(kind, sessionId)));
  }

  /**
   * Removes a session.
   * @returns the session; null if it was already removed
   */
  async take(kind: SessionRow['kind'], sessionId: string): Promise<SessionRow | null> {
    return first(this.#db.delete(webrtcSessions).where(named(kind, sessionId)).returning());
  }

  async remove(peerId: string): Promise<void> {
    await this.#db.delete(webrtcSessions).where(eq(webrtcSessions.peerId, peerId));
  }

  async setEtag({ idHash }: SessionRow, etag: string): Promise<void> {
    await this.#db.update(webrtcSessions).set({ etag }).where(eq(webrtcSessions.idHash, idHash));
  }

  /**
   * Marks sessions as alive.
   * @returns those that still exist
   */
  async touch(peerIds: string[]): Promise<Set<string>> {
    const rows = await this.#db
      .update(webrtcSessions)
      .set({ seenAt: sql`now()` })
      .where(isOneOf(webrtcSessions.peerId, peerIds))
      .returning({ peerId: webrtcSessions.peerId });
    return new Set(rows.map(({ peerId }) => peerId));
  }

  /** Removes and returns the sessions that their nodes have not marked as alive for this long. Call it regularly: see Outages. */
  async takeSilent(silentMs: number): Promise<SessionRow[]> {
    if (!(await this.#outages.areOver(silentMs))) return [];
    const before = sql`now() - make_interval(secs => ${silentMs / 1_000})`;
    return this.#db.delete(webrtcSessions).where(lt(webrtcSessions.seenAt, before)).returning();
  }
}

const named = (kind: SessionRow['kind'], sessionId: string) =>
  and(eq(webrtcSessions.idHash, hashOf(sessionId)), eq(webrtcSessions.kind, kind));

const hashOf = (sessionId: string) => createHash('sha256').update(sessionId).digest('hex');
