import { sql, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

/** The place of a row in a list that is sorted by a time, newest first, and then by id. */
export interface Place {
  at: Date;
  id: string;
}

/** Selects a page of such a list. */
export interface PlacedPage {
  limit: number;
  /** The last row of the page before; null for the first page. */
  before: Place | null;
}

/** The condition for rows after a place in the list. Undefined for the first page. */
export const after = (before: Place | null, at: PgColumn, id: PgColumn): SQL | undefined =>
  before === null ? undefined : sql`(${at}, ${id}) < (${before.at.toISOString()}::timestamptz, ${before.id})`;
