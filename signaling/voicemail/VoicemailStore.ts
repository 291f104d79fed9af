import { and, desc, eq, inArray, isNull, sql, type SQL } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Logger } from 'pino';
import type { Address } from '../../sdk/protocol/common.ts';
import { first } from '../../platform/database/first.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { Leases } from '../../platform/leases/Leases.ts';
import { LivingStore } from '../../platform/node/LivingStore.ts';
import type { OwnNode } from '../../platform/node/OwnNode.ts';
import { voicemails, type VoicemailRow } from './tables.ts';

const isReady = eq(voicemails.status, 'ready');
const belongsTo = (wallet: Address, id: string) =>
  and(eq(voicemails.id, id), eq(voicemails.recipient, wallet), isReady);

const voicemailsWhere = (executor: Executor, where: SQL | undefined) =>
  executor.select().from(voicemails).where(where);

/** Voicemails in the database. */
export class VoicemailStore extends LivingStore {
  readonly transcriptions;

  constructor(db: NodePgDatabase, node: OwnNode, log: Logger) {
    super(db, node);
    const [key, until] = [['id'], 'transcribingUntil'] as const;
    this.transcriptions = new Leases({ db, table: voicemails, key, until, seconds: 30, log });
  }

  /** @returns whether the voicemail is new: the same request may arrive twice concurrently */
  async insert(tx: Executor, row: VoicemailRow): Promise<boolean> {
    const made = await tx
      .insert(voicemails)
      .values(row)
      .onConflictDoNothing()
      .returning({ id: voicemails.id });
    return made.length > 0;
  }

  async find(id: string): Promise<VoicemailRow | null> {
    return first(voicemailsWhere(this.db, eq(voicemails.id, id)));
  }

  /** Those of these voicemails that their recipients have. */
  async findReady(ids: string[]): Promise<VoicemailRow[]> {
    return voicemailsWhere(this.db, and(inArray(voicemails.id, ids), isReady));
  }

  async findOwn(wallet: Address, id: string): Promise<VoicemailRow | null> {
    return first(voicemailsWhere(this.db, belongsTo(wallet, id)));
  }

  async count(wallet: Address): Promise<number> {
    return this.db.$count(voicemails, and(eq(voicemails.recipient, wallet), isReady));
  }

  /** Latest first. */
  async list(
    wallet: Address,
    { limit, offset, unreadOnly }: { limit: number; offset: number; unreadOnly: boolean },
  ): Promise<VoicemailRow[]> {
    const unread = unreadOnly ? isNull(voicemails.readAt) : undefined;
    return voicemailsWhere(this.db, and(eq(voicemails.recipient, wallet), isReady, unread))
      .orderBy(desc(voicemails.createdAt), desc(voicemails.id))
      .limit(limit)
      .offset(offset);
  }

  /** @returns the voicemail, or null if it was no longer being processed */
  async settle(
    tx: Executor,
    id: string,
    changes: Pick<VoicemailRow, 'status' | 'duration'>,
  ): Promise<VoicemailRow | null> {
    return first(
      tx
        .update(voicemails)
        .set(changes)
        .where(and(eq(voicemails.id, id), eq(voicemails.status, 'processing')))
        .returning(),
    );
  }

  /** Marks a voicemail as read. If it was already read, the first time is kept. @returns whether the wallet has this voicemail */
  async markAsRead(wallet: Address, id: string): Promise<boolean> {
    const marked = await this.db
      .update(voicemails)
      .set({ readAt: sql`coalesce(${voicemails.readAt}, now())` })
      .where(belongsTo(wallet, id))
      .returning({ id: voicemails.id });
    return marked.length > 0;
  }

  /** Takes a voicemail from its recipient. Its row stays. @returns the voicemail, or null if the wallet does not have it */
  async deleteOwn(tx: Executor, wallet: Address, id: string): Promise<VoicemailRow | null> {
    // Without its lease, a transcript that is being made is not stored any more.
    const changes = { status: 'deleted', readAt: null, transcript: null, transcribingUntil: null } as const;
    return first(tx.update(voicemails).set(changes).where(belongsTo(wallet, id)).returning());
  }

  /** Deletes a voicemail that is still being processed. @returns whether it was */
  async drop(tx: Executor, id: string): Promise<boolean> {
    const isProcessing = and(eq(voicemails.id, id), eq(voicemails.status, 'processing'));
    return (await tx.delete(voicemails).where(isProcessing).returning({ id: voicemails.id })).length > 0;
  }

  async delete(tx: Executor, id: string): Promise<void> {
    await tx.delete(voicemails).where(eq(voicemails.id, id));
  }

  async forget(id: string): Promise<void> {
    await this.delete(this.db, id);
  }

  /** Takes the lease for making the transcript of a voicemail. @returns null if there is a transcript or another process makes it */
  takeTranscription(id: string): Promise<VoicemailRow | null> {
    return this.transcriptions.take(and(eq(voicemails.id, id), isReady, isNull(voicemails.transcript)));
  }
}

/** Whether a wallet may read a recording without a signed URL, because it is the recipient of the voicemail. */
export async function isVoicemailTo(db: NodePgDatabase, fileId: string, wallet: Address): Promise<boolean> {
  const own = and(eq(voicemails.fileId, fileId), eq(voicemails.recipient, wallet), isReady);
  const [row] = await db.select({ id: voicemails.id }).from(voicemails).where(own);
  return row !== undefined;
}
