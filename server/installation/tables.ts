import { pgTable, smallint, text } from 'drizzle-orm/pg-core';
import { bytes, moment } from '../../platform/database/columns.ts';

/** A table with one row, which names the key that belongs to this database. */
export const installation = pgTable('installation', {
  /** Always 1. */
  id: smallint().primaryKey(),
  /** The fingerprint of the SECRET_KEY in use. It does not reveal the key. */
  keyFingerprint: text('key_fingerprint').notNull(),
  /** During a rotation: the fingerprint of the key before it, with which some values may still be sealed. */
  formerKeyFingerprint: text('former_key_fingerprint'),
  /** The secret of lasting keys, sealed with the SECRET_KEY in use. It is the SECRET_KEY with which the database was first used. */
  lastingSecret: bytes('lasting_secret'),
  createdAt: moment('created_at').notNull().defaultNow(),
});
