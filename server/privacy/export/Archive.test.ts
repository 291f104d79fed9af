import { Readable, Writable } from 'node:stream';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../../platform/database/database.ts';
import { CleanUp } from '../../../test/harness/nodes/embeddedPostgres/support.ts';
import { openTestDatabase } from '../../../test/harness/nodes/openTestDatabase.ts';
import { until } from '../../../test/harness/until.ts';
import { Archive } from './Archive.ts';
import { asJson, pagesOf } from './personRows.ts';

const cleanUp = new CleanUp();
let database: OpenDatabase;

beforeAll(async () => {
  database = await openTestDatabase(cleanUp);
});
afterAll(() => cleanUp.run());

/** A disk with room for so many bytes. */
function fullAfter(bytes: number): Writable {
  let written = 0;
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      written += chunk.length;
      done(written > bytes ? new Error('no space left on device') : null);
    },
  });
}

it.each([100, 10_000, 100_000])(
  'returns its connection to the database when the disk is full after %i bytes',
  async (bytes) => {
    const { pool } = database;
    const rows = sql`SELECT jsonb_build_object('text', md5(i::text)) AS row FROM generate_series(1, 20000) i`;
    const archive = new Archive(fullAfter(bytes));
    for (const name of ['first', 'second'])
      archive.add(
        name,
        () => Promise.resolve(Readable.from(asJson(pagesOf(pool, rows)), { objectMode: false })),
        {
          compress: true,
        },
      );
    await expect(archive.end()).rejects.toThrow('no space left on device');
    await until(() => pool.idleCount === pool.totalCount, 'no connection is in use', 5_000);
  },
);

it('closes an entry that is opened after the disk was full', async () => {
  const archive = new Archive(fullAfter(0));
  const entry = new Readable({ read() {} });
  let opened = (_stream: Readable) => {};
  archive.add('late', () => new Promise((resolve) => (opened = resolve)), { compress: false });
  await expect(archive.end()).rejects.toThrow('no space left on device');
  opened(entry);
  await until(() => entry.destroyed, 'it is closed', 5_000);
});
