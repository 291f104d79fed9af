import { pgTable, smallint, text } from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';

/** A table with one row, which holds a fingerprint of the key that belongs to this database. */
export const installation = pgTable('installation', {
  /** Always 1. */
  id: smallint().primaryKey(),
  /** Derived from the SECRET_KEY of this database. It does not reveal the key. */
  keyFingerprint: text('key_fingerprint').notNull(),
  createdAt: moment('created_at').notNull().defaultNow(),
});
