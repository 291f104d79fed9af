import { index, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';
import type { ParticipantRole } from '../../sdk/protocol/conference.ts';
import type { Grants } from '../../sdk/protocol/guests.ts';
import type { GuestId } from '../../sdk/protocol/party.ts';

/** Participant tokens, stored as hashes. Each lets one guest into one room or stream. */
export const participantTokens = pgTable(
  'participant_tokens',
  {
    id: text().primaryKey(),
    hash: text().notNull().unique(),
    /** The room or stream. */
    subjectId: text('subject_id').notNull(),
    identity: text().$type<GuestId>().notNull(),
    displayName: text('display_name'),
    role: text().$type<ParticipantRole>().notNull(),
    grants: jsonb().$type<Grants>().notNull(),
    metadata: text(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    revokedAt: moment('revoked_at'),
  },
  (table) => [
    index('participant_tokens_subject_idx').on(table.subjectId, table.createdAt),
    index('participant_tokens_expires_idx').on(table.expiresAt),
  ],
);

export type ParticipantTokenRow = typeof participantTokens.$inferSelect;
