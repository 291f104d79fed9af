import { createHash } from 'node:crypto';
import { and, between, desc, eq, inArray, isNull, like, lt, lte, ne, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { z } from 'zod';
import type { Executor } from '../../platform/database/Executor.ts';
import { after, type PlacedPage } from '../../platform/database/places.ts';
import { GroupCommit } from '../../platform/database/GroupCommit.ts';
import { toIso } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { createdToken, newRoomToken, participantToken } from '../../sdk/protocol/guests.ts';
import { newId, randomBase62 } from '../../sdk/protocol/ids.ts';
import { identityOf, toGuestId } from '../../sdk/protocol/party.ts';
import type { Guest, GuestContext, GuestSession, PartyContext } from '../socket/RequestContext.ts';
import { roomMembers } from '../conference/tables.ts';
import { streamWatchings } from '../streaming/tables.ts';
import { tokenExpired, tokenRevoked } from '../socket/guestRefusals.ts';
import { participantTokens, type ParticipantTokenRow } from './tables.ts';

export type WireToken = z.input<typeof participantToken>;
type NewToken = z.output<typeof newRoomToken>;

const prefix = 'pt_';
/** How long an expired token is kept, so that a list shows it, and a guest who is still inside can connect again. */
const keptMs = 7 * 24 * 60 * 60_000;

export const isParticipantToken = (token: string) => token.startsWith(prefix);

/** Participant tokens: created by the host of a room or stream, used by a guest to enter it. */
export class ParticipantTokens {
  readonly #db: NodePgDatabase;
  /** Batches the queries of guests that connect at the same time. */
  readonly #readings = new GroupCommit<string, GuestSession | null>({
    size: 200,
    write: async (hashes) => {
      const found = await this.#read(hashes);
      return hashes.map((hash) => found.get(hash) ?? null);
    },
  });

  constructor(db: NodePgDatabase) {
    this.#db = db;
  }

  /** @param subjectId the room or stream */
  async create(
    executor: Executor,
    subjectId: string,
    { identity, displayName, role, metadata, expiresInSeconds, ...grants }: NewToken,
  ): Promise<z.input<typeof createdToken>> {
    const token = `${prefix}${randomBase62(43)}`;
    const now = new Date();
    const row: ParticipantTokenRow = {
      id: newId('ptk'),
      hash: hashOf(token),
      subjectId,
      identity: toGuestId(identity),
      displayName: displayName ?? identity,
      role,
      grants: { ...grants, canPublish: role === 'viewer' ? [] : grants.canPublish },
      metadata: metadata ?? null,
      createdAt: now,
      expiresAt: new Date(now.getTime() + expiresInSeconds * 1_000),
      revokedAt: null,
    };
    await executor.insert(participantTokens).values(row);
    await this.#removeExpired(executor);
    return { ...toToken(row), token };
  }

  /** The tokens of a room or stream, newest first. */
  list(subjectId: string, { limit, before }: PlacedPage): Promise<ParticipantTokenRow[]> {
    const { createdAt, id } = participantTokens;
    return this.#db
      .select()
      .from(participantTokens)
      .where(and(eq(participantTokens.subjectId, subjectId), after(before, createdAt, id)))
      .orderBy(desc(createdAt), desc(id))
      .limit(limit);
  }

  /** The ids of the tokens of a guest. */
  async ofGuest(executor: Executor, subjectId: string, identity: string): Promise<string[]> {
    const rows = await executor
      .select({ id: participantTokens.id })
      .from(participantTokens)
      .where(
        and(eq(participantTokens.subjectId, subjectId), sql`${participantTokens.identity} = ${identity}`),
      );
    return rows.map(({ id }) => id);
  }

  /**
   * Call inside the transaction that removes the guest.
   * @returns the token. It may have been revoked before
   * @throws ParleyError NOT_FOUND
   */
  async revoke(executor: Executor, subjectId: string, id: string): Promise<ParticipantTokenRow> {
    const [row] = await executor
      .update(participantTokens)
      .set({ revokedAt: sql`coalesce(${participantTokens.revokedAt}, now())` })
      .where(and(eq(participantTokens.id, id), eq(participantTokens.subjectId, subjectId)))
      .returning();
    if (!row)
      throw new ParleyError('NOT_FOUND', 'There is no such participant token: check its id.', {
        extra: { resource: 'participant_token' },
      });
    return row;
  }

  /** Revokes the tokens of the same room and identity that were created before this one. */
  async revokeOlder(executor: Executor, { tokenId, subjectId, identity, createdAt }: Guest): Promise<void> {
    const { id, ...columns } = participantTokens;
    await executor
      .update(participantTokens)
      .set({ revokedAt: new Date() })
      .where(
        and(
          eq(columns.subjectId, subjectId),
          eq(columns.identity, toGuestId(identity)),
          lte(columns.createdAt, createdAt),
          ne(id, tokenId),
          isNull(columns.revokedAt),
        ),
      );
  }

  /** The tokens of rooms, or of streams, that were revoked between these times. @param prefix of the ids of their rooms or streams */
  async revokedBetween(prefix: 'room_' | 'str_', from: Date, to: Date): Promise<ParticipantTokenRow[]> {
    return this.#db
      .select()
      .from(participantTokens)
      .where(
        and(between(participantTokens.revokedAt, from, to), like(participantTokens.subjectId, `${prefix}%`)),
      );
  }

  /** The guests whose token can no longer be used to enter, with the reason. Call inside the transaction that admits them. */
  async unusable(executor: Executor, contexts: PartyContext[]): Promise<Map<PartyContext, ParleyError>> {
    const guests = contexts.filter((context): context is GuestContext => context.guest !== null);
    if (guests.length === 0) return new Map();
    const ids = guests.map(({ guest }) => guest.tokenId);
    const rows = await executor
      .select({ id: participantTokens.id, expiresAt: participantTokens.expiresAt })
      .from(participantTokens)
      .where(and(inArray(participantTokens.id, ids), isNull(participantTokens.revokedAt)));
    const usable = new Map(rows.map(({ id, expiresAt }) => [id, expiresAt]));
    const refused = new Map<PartyContext, ParleyError>();
    for (const context of guests) {
      const until = usable.get(context.guest.tokenId);
      if (!until) refused.set(context, tokenRevoked());
      else if (until.getTime() <= Date.now()) refused.set(context, tokenExpired());
    }
    return refused;
  }

  /**
   * Reads the token of a connection. An expired one is accepted from a guest who is inside, so that a lost connection does not end the
   * visit.
   * @throws ParleyError AUTHENTICATION_REQUIRED
   */
  async verify(token: string): Promise<GuestSession> {
    const session = await this.#readings.run(hashOf(token));
    if (!session) throw tokenRevoked();
    if (session.expiresAt.getTime() <= Date.now() && !session.isInside) throw tokenExpired();
    return session;
  }

  async #read(hashes: string[]): Promise<Map<string, GuestSession>> {
    const { id } = participantTokens;
    const isInside = sql<boolean>`(
      EXISTS (SELECT FROM ${roomMembers} WHERE ${roomMembers.tokenId} = ${id}
        AND (${roomMembers.standing} = 'present' OR ${roomMembers.movedTo} = ${roomMembers.roomId}))
      OR EXISTS (SELECT FROM ${streamWatchings} WHERE ${streamWatchings.tokenId} = ${id})
      OR EXISTS (SELECT FROM streams s WHERE s.id = participant_tokens.subject_id AND s.publisher_token = participant_tokens.id
        AND (s.status = 'live' OR s.status = 'idle' AND s.publisher_node IS NOT NULL)))`;
    const rows = await this.#db
      .select({ token: participantTokens, isInside })
      .from(participantTokens)
      .where(and(inArray(participantTokens.hash, hashes), isNull(participantTokens.revokedAt)));
    return new Map(rows.map(({ token, ...more }) => [token.hash, toSession(token, more.isInside)]));
  }

  async #removeExpired(executor: Executor): Promise<void> {
    await executor
      .delete(participantTokens)
      .where(lt(participantTokens.expiresAt, new Date(Date.now() - keptMs)));
  }
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

function toSession(row: ParticipantTokenRow, isInside: boolean): GuestSession {
  const { id: tokenId, identity: wallet, subjectId, displayName, role, grants, metadata, createdAt } = row;
  const { expiresAt } = row;
  const shown = { identity: identityOf(wallet), subjectId, displayName, role, grants, metadata };
  const guest = { ...shown, tokenId, createdAt, expiresAt: toIso(expiresAt) };
  // Guests never pass a gate, so their network has no effect.
  return { sessionId: tokenId, wallet, network: 'mainnet', expiresAt, isInside, guest };
}

export function toToken(row: ParticipantTokenRow): WireToken {
  const { id, identity, displayName, role, grants, metadata, createdAt, expiresAt, revokedAt } = row;
  return {
    id,
    identity: identityOf(identity),
    displayName,
    role,
    grants,
    metadata,
    createdAt: toIso(createdAt),
    expiresAt: toIso(expiresAt),
    revokedAt: revokedAt && toIso(revokedAt),
  };
}
