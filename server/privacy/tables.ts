import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';
import type { WireExport } from '../../sdk/protocol/privacy.ts';
import type { EvmAddress } from '../../sdk/protocol/address.ts';

/** Archives with the data of an account. */
export const dataExports = pgTable(
  'data_exports',
  {
    id: text().primaryKey(),
    accountId: text('account_id').notNull(),
    status: text().$type<WireExport['status']>().notNull(),
    /** How many of the subjects and files are in the archive so far, and how many there are. */
    done: integer().notNull().default(0),
    total: integer().notNull().default(0),
    /** The archive; null until it is ready, and after it has expired. */
    fileId: text('file_id'),
    size: bigint({ mode: 'number' }),
    requestedAt: moment('requested_at').notNull().defaultNow(),
    finishedAt: moment('finished_at'),
    expiresAt: moment('expires_at'),
  },
  (table) => [
    index('data_exports_account_idx').on(table.accountId, table.requestedAt),
    index('data_exports_requested_idx').on(table.requestedAt),
    index('data_exports_file_idx')
      .on(table.fileId)
      .where(sql`file_id IS NOT NULL`),
  ],
);

/** Accounts that are to be erased, are being erased, or were erased. A row says nothing about the person. */
export const erasures = pgTable('erasures', {
  accountId: text('account_id').primaryKey(),
  requestedAt: moment('requested_at').notNull().defaultNow(),
  /** Until then, the request can be withdrawn. */
  dueAt: moment('due_at').notNull(),
  /** When the erasure began. From then on, nobody can sign in to the account. */
  startedAt: moment('started_at'),
  /** What others see instead of the person. Random, and in the form of an address: see deletedWallet() in sdk/protocol/deleted.ts. */
  pseudonym: text().$type<EvmAddress>(),
  erasedAt: moment('erased_at'),
});

export type ExportRow = typeof dataExports.$inferSelect;
export type ErasureRow = typeof erasures.$inferSelect;
