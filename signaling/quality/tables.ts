import { index, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type { qualityEventKinds, WireQualitySample } from '../../sdk/protocol/quality.ts';

/** What a device reported, with what the server knew at that time. */
export type Sample = Omit<WireQualitySample, 'at'>;

/** The kept quality of calls and rooms: a row for each report of a device, and for each event that may explain it. */
export const qualityLog = pgTable(
  'quality_log',
  {
    /** The call or room. */
    subject: text().notNull(),
    at: moment().notNull(),
    party: text().$type<PartyId>().notNull(),
    kind: text().$type<'sample' | (typeof qualityEventKinds)[number]>().notNull(),
    /** Null for an event. */
    sample: jsonb().$type<Sample>(),
  },
  (table) => [
    index('quality_log_subject_idx').on(table.subject, table.at),
    index('quality_log_at_idx').on(table.at),
  ],
);

export type QualityRow = typeof qualityLog.$inferSelect;
