import { sql } from 'drizzle-orm';
import { boolean, doublePrecision, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import type { WireTranscription } from '../../sdk/protocol/voicemail.ts';

/** The transcript of a voicemail. */
export type Transcript = Omit<WireTranscription, 'voicemailId'>;

export const voicemails = pgTable(
  'voicemails',
  {
    id: text().primaryKey(),
    sender: text().$type<Address>().notNull(),
    recipient: text().$type<Address>().notNull(),
    fileId: text('file_id').notNull(),
    /**
     * `blocked` or `deleted`: the recording is deleted. The row is kept for some minutes, to answer a sender who repeats the request and must not
     * notice the block.
     */
    status: text().$type<'processing' | 'ready' | 'blocked' | 'deleted'>().notNull(),
    /** Whether the recipient had blocked the sender when the voicemail arrived. */
    hidden: boolean().notNull(),
    maxDuration: integer('max_duration').notNull(),
    /** The length in seconds. Null until the recording is processed. */
    duration: doublePrecision(),
    createdAt: moment('created_at').notNull(),
    readAt: moment('read_at'),
    transcript: jsonb().$type<Transcript>(),
    /** Until this time, only the process that claimed the transcription may make it. After that, another process may claim it. */
    transcribingUntil: moment('transcribing_until'),
  },
  (table) => [
    index('voicemails_recipient_idx')
      .on(table.recipient, table.createdAt)
      .where(sql`status = 'ready'`),
    index('voicemails_unread_idx')
      .on(table.recipient, table.createdAt)
      .where(sql`status = 'ready' AND read_at IS NULL`),
    // Whether a wallet has left the recipient a voicemail (see ProfileStore).
    index('voicemails_sender_idx')
      .on(table.recipient, table.sender)
      .where(sql`status = 'ready' AND NOT hidden`),
    index('voicemails_file_idx').on(table.fileId),
    index('voicemails_created_idx').on(table.createdAt),
  ],
);

export type VoicemailRow = typeof voicemails.$inferSelect;
