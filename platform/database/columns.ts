import { sql } from 'drizzle-orm';
import { customType, timestamp, type PgColumn } from 'drizzle-orm/pg-core';

/** A column for a point in time, to the millisecond. @param name the name in the database, if it is not the property's */
export const moment = (name = '') => timestamp(name, { withTimezone: true, precision: 3 });

/** A column for bytes. */
export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** A point in time that far from now, by the clock of the database, since the clocks of nodes may differ. */
export const inMs = (ms: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${ms / 1_000})`;

/** The milliseconds until the time in a column, by the clock of the database; negative if it has passed. */
export const msUntil = (column: PgColumn) =>
  sql<number>`(extract(epoch FROM ${column} - clock_timestamp()) * 1000)::float8`;
