import { sql, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

/**
 * Matches rows whose column has one of these values; none if there are no values. Like inArray(), but with one parameter for all values:
 * a statement with 64 of them is built faster, and stays the same however many there are.
 */
export const isOneOf = (column: PgColumn, values: readonly string[]): SQL =>
  sql`${column} = ANY(${sql.param(values)}::text[])`;
