import { customType, timestamp } from 'drizzle-orm/pg-core';

/** A column for a point in time, to the millisecond. @param name the name in the database, if it is not the property's */
export const moment = (name = '') => timestamp(name, { withTimezone: true, precision: 3 });

/** A column for bytes. */
export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
