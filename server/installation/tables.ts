import { pgTable, smallint, text, timestamp } from 'drizzle-orm/pg-core';

/** One row: what this database has to be used with. */
export const installation = pgTable('installation', {
  /** Always 1. */
  id: smallint().primaryKey(),
  /** A key derived from the SECRET_KEY that seals and hashes what is in this database; it tells nothing of that key. */
  keyFingerprint: text('key_fingerprint').notNull(),
  createdAt: timestamp('created_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
});
