import { bigint, boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytes, moment } from '../../platform/database/columns.ts';

const whole = (name: string) => bigint(name, { mode: 'number' });

/** Breaches, as they are shown in search results. */
export const leakBreaches = pgTable(
  'leak_breaches',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    source: text().notNull().unique(),
    title: text().notNull(),
    domain: text(),
    breachDate: text('breach_date'),
    dataClasses: text('data_classes').array().notNull(),
    verified: boolean().notNull(),
    records: whole('records'),
  },
  (table) => [index('leak_breaches_domain_idx').on(table.domain)],
);

/** The identifiers in each breach. Each is stored as the first 16 bytes of an HMAC, which reveals nothing without the server's secret. */
export const leakEntries = pgTable(
  'leak_entries',
  {
    hash: bytes().notNull(),
    /** There is no foreign key, because checking it for millions of rows took as long as storing them, and breaches are never deleted. */
    breachId: integer('breach_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.hash, table.breachId] })],
);

/** Leaked passwords in the form in which Pwned Passwords publishes them: the SHA-1 hash, and how often the password was seen. */
export const leakPasswords = pgTable('leak_passwords', {
  sha1: bytes().primaryKey(),
  count: whole('count').notNull(),
});

/** The position of each import, updated in the same transaction that stores the records. */
export const leakImports = pgTable('leak_imports', {
  fingerprint: text().primaryKey(),
  file: text().notNull(),
  records: whole('records').notNull(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
  finishedAt: moment('finished_at'),
});

/** The number of searches of each account in each period. A period is one of its plan, or a calendar month without a plan. */
export const leakQuotas = pgTable(
  'leak_quotas',
  {
    accountId: text('account_id').notNull(),
    periodStart: moment('period_start').notNull(),
    used: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.periodStart] }),
    index('leak_quotas_period_idx').on(table.periodStart),
  ],
);
