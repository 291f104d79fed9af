import type { Database } from '../../../platform/database/database.ts';

/** A database that stores the rows of its first insert and fails then, as if the answer had been lost. */
export function failingFirstInsert(db: Database): Database {
  let isLost = false;
  return new Proxy(db, {
    get(target, name) {
      if (name === 'insert' && !isLost)
        return (table: Parameters<Database['insert']>[0]) => ({
          async values(rows: never) {
            isLost = true;
            await target.insert(table).values(rows);
            throw new Error('Connection terminated');
          },
        });
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
