import { sql } from 'drizzle-orm';
import { roomOwners } from '../../../media/cluster/tables.ts';
import { due } from '../../../platform/jobs/tables.ts';
import { nodes } from '../../../platform/node/tables.ts';
import { files, fileUsage } from '../../files/tables.ts';
import { installation } from '../../installation/tables.ts';
import { recentErrors } from '../../operator/tables.ts';
import { unusedFiles } from '../retention/unusedFiles.ts';
import { deletes, discardFiles, isParty, rowsOf, valuesOf } from './rules.ts';
import type { TableData } from './TableData.ts';

/** Files, and the tables of the server itself. */
export const fileTables: TableData[] = [
  {
    table: files,
    kept: [unusedFiles],
    personal: {
      exports: [
        {
          file: 'files',
          rows: ({ wallet }) => sql`
            SELECT to_jsonb(t) - ARRAY['parts', 'object_key', 'thumbnail_key', 'finishing_until', 'counted_bytes'] AS row
            FROM files t WHERE t.wallet = ${wallet} AND t.discarded_at IS NULL`,
        },
      ],
      erases: [
        {
          find: (person, locks) =>
            rowsOf(files, sql`${isParty(person)} AND discarded_at IS NULL`, sql`id`, locks),
          erase: (tx, rows, { jobs }) => discardFiles(tx, jobs, valuesOf(rows, 'id')),
        },
      ],
    },
  },
  {
    table: fileUsage,
    kept: 'One row for each wallet with files.',
    personal: {
      // Erasure.ts waits until the bytes of the files are deleted, which is when they are subtracted here.
      erases: [
        deletes(
          fileUsage,
          ({ party }) =>
            sql`holder = ${party} AND NOT EXISTS (SELECT FROM files f WHERE f.wallet = ${party})`,
        ),
      ],
    },
  },
  {
    table: due,
    kept: 'Jobs are removed when they are done.',
    personal: 'Ids of what is to be done. Addresses are replaced.',
  },
  {
    table: nodes,
    kept: 'Removed a while after the node’s death: see NodeRegistry.ts.',
    personal: 'The operator’s machines.',
  },
  { table: roomOwners, kept: 'Removed when the room closes.', personal: 'Ids of rooms and nodes.' },
  {
    table: recentErrors,
    kept: 'The latest ones are kept: see ErrorLog.ts.',
    personal: 'Lines of the log, which name wallets by pseudonyms.',
  },
  { table: installation, kept: 'One row.', personal: 'A fingerprint of the key.' },
];
