import { fileTables } from './files.ts';
import { messageTables } from './messages.ts';
import { moneyTables } from './money.ts';
import { realtimeTables } from './realtime.ts';
import { telephonyTables } from './telephony.ts';
import type { TableData } from './TableData.ts';

/**
 * All tables of the database: how long their rows are kept, and what in them is personal. A new table is added to one of these lists, in
 * the order in which an erasure goes through them: rows before what they refer to.
 */
export const registry: TableData[] = [
  ...messageTables,
  ...realtimeTables,
  ...telephonyTables,
  ...moneyTables,
  ...fileTables,
];
