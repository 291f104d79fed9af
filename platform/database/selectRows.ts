import { getTableColumns, is, SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';

type Given<Row> = { [Name in keyof Row]?: Row[Name] | SQL };

/**
 * The rows of an insert, for `insert(table).select(selectRows(table, rows))`. They are one array per column instead of one parameter per
 * value, so the statement has the same text for any number of rows, and building and parsing it takes a fraction of the time.
 * @param rows a column that no row has gets its default; an identity column needs a value
 * @param same values of columns that are the same in all rows; an SQL expression is evaluated for each row
 */
export function selectRows<Table extends PgTable>(
  table: Table,
  rows: Table['$inferInsert'][],
  same: Given<Table['$inferSelect']> = {},
): SQL {
  const columns = Object.entries(getTableColumns(table));
  const isGiven = ([name]: [string, PgColumn]) =>
    !(name in same) && rows.some((row) => (row as Record<string, unknown>)[name] !== undefined);
  const given = columns.filter(isGiven);
  const arrays = given.map(([name, column]) => {
    const values = rows.map((row) => {
      const value = (row as Record<string, unknown>)[name];
      return value === undefined || value === null ? null : column.mapToDriverValue(value);
    });
    return sql`${sql.param(values)}::${sql.raw(elementTypeOf(column))}[]`;
  });
  const names = given.map(([, { name }]) => sql.identifier(name));
  const selected = columns.map((entry) => {
    const [key, column] = entry;
    if (isGiven(entry)) return sql`given.${sql.identifier(column.name)}::${sql.raw(column.getSQLType())}`;
    return valueOf(column, key in same ? (same as Record<string, unknown>)[key] : column.default);
  });
  // Drizzle's overridingSystemValue() has no effect on an insert from a query.
  const overriding = columns.some(([, { generatedIdentity }]) => generatedIdentity)
    ? 'OVERRIDING SYSTEM VALUE '
    : '';
  return sql`${sql.raw(overriding)}SELECT ${sql.join(selected, sql`, `)} FROM unnest(${sql.join(arrays, sql`, `)})
    WITH ORDINALITY AS given (${sql.join([...names, sql`position`], sql`, `)}) ORDER BY given.position`;
}

/** A JSON value is a text until it has left its array, which would otherwise be taken for a JSON array. */
const elementTypeOf = (column: PgColumn): string =>
  column.getSQLType() === 'jsonb' ? 'text' : column.getSQLType();

function valueOf(column: PgColumn, value: unknown): SQL {
  if (is(value, SQL)) return value;
  const isEmpty = value === undefined || value === null;
  return sql`${sql.param(isEmpty ? null : column.mapToDriverValue(value))}::${sql.raw(column.getSQLType())}`;
}
