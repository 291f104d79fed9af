import { sql, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

/** The place of a row in a list that is sorted by a time, and by id where the times are equal. */
export interface PlaceInList {
  at: Date;
  id: string;
}

/** Matches the rows before a place, which follow it in a list with the latest first. */
export const isBefore = (at: PgColumn, id: PgColumn, place: PlaceInList | null): SQL | undefined =>
  place ? sql`(${at}, ${id}) < (${sql.param(place.at, at)}, ${place.id})` : undefined;

/** Matches the rows after a place, which follow it in a list with the earliest first. */
export const isAfter = (at: PgColumn, id: PgColumn, place: PlaceInList | null): SQL | undefined =>
  place ? sql`(${at}, ${id}) > (${sql.param(place.at, at)}, ${place.id})` : undefined;
