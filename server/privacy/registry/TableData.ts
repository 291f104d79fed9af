import type { SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import type { Address } from '../../../sdk/protocol/common.ts';
import type { PartyId } from '../../../sdk/protocol/party.ts';
import type { retentionSettings } from '../../config/settings/retention.ts';

export type DaysSetting = keyof typeof retentionSettings & `KEEP_${string}`;

/** What removes old rows of a table. */
export interface RetentionRule {
  /** The setting with the number of days, where 0 keeps the rows; or a fixed number of days. */
  setting: DaysSetting | number;
  /**
   * Selects a batch of rows that are older than a time. It uses an index, locks the rows, and skips rows that are locked, unless `remove` does.
   * @param run the number of the run, for a rule that looks at one part of a table in each
   */
  find: (before: Date, run?: number) => SQL;
  /**
   * Removes the rows that were found, in the same transaction. Returns how many, if not all were removed. Without it, they are deleted by
   * their `ctid`.
   */
  remove?: (tx: Executor, rows: Record<string, unknown>[], jobs: ScheduledJobs) => Promise<number | void>;
}

/** The person whose data is exported. */
export interface Subject {
  accountId: string;
  /** null if the account has no wallet. */
  wallet: Address | null;
  /** What the person is called as the host of rooms, streams and recordings: the wallet, or `account:…`. */
  party: PartyId;
}

/** The person whose data is erased. */
export interface Person extends Subject {
  /** What replaces the wallet in what others keep. */
  pseudonym: Address;
}

/** A table's rows in the export of a person. */
export interface ExportRule {
  /** The name of the file in the archive, without `.json`. */
  file: string;
  /** The rows of the person, as the person may see them, without secrets. */
  rows: (person: Subject) => SQL;
}

/**
 * What an erasure does to the rows of a table. All statements are idempotent and change at most a batch of rows: they run until they find
 * nothing more. What is left of the person's address after that is replaced in all columns by the sweep: see replaceAddress.ts.
 */
export interface ErasureRule {
  /** Selects a batch of rows to erase, and locks them. @param locks false to see whether there are any, also those that others have locked */
  find: (person: Person, locks: boolean) => SQL;
  /** Erases the rows that were found, in the same transaction. Without it, they are deleted by their `ctid`. */
  erase?: (
    tx: Executor,
    rows: Record<string, unknown>[],
    parts: { jobs: ScheduledJobs; person: Person },
  ) => Promise<void>;
}

/** How long a table's rows are kept, and what in them is personal. Every table of the database has one entry: see registry.test.ts. */
export interface TableData {
  table: PgTable;
  /** The rules that remove old rows; or the reason why the table does not grow for ever. */
  kept: RetentionRule[] | string;
  /** The rules of a person's rows; or the reason why the table has none. */
  personal: { exports?: ExportRule[]; erases: ErasureRule[] } | string;
}
