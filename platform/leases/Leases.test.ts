import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { and, eq, sql } from 'drizzle-orm';
import { pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase, type OpenDatabase } from '../database/database.ts';
import { silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { copyDatabaseTemplate } from '../../test/harness/nodes/databaseTemplate.ts';
import { until } from '../../test/harness/until.ts';
import { Leases } from './Leases.ts';

const works = pgTable('works', {
  id: text().primaryKey(),
  heldBy: text('held_by'),
  heldUntil: timestamp('held_until', { withTimezone: true, precision: 3 }),
  result: text(),
});

let folder: string;
let database: OpenDatabase;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-leases-'));
  await copyDatabaseTemplate(folder);
  database = await openDatabase({ dataDir: folder, logger: silent });
  await database.db.execute(
    sql`CREATE TABLE works (id text PRIMARY KEY, held_by text, held_until timestamptz(3), result text)`,
  );
});
afterAll(async () => {
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => vi.useRealTimers());

let count = 0;
async function newWork(): Promise<{
  id: string;
  read: () => Promise<typeof works.$inferSelect | undefined>;
}> {
  const id = `work ${++count}`;
  await database.db.insert(works).values({ id });
  return { id, read: async () => (await database.db.select().from(works).where(eq(works.id, id)))[0] };
}

describe.each(['with', 'without'])('leases %s a column for the holder', (kind) => {
  function open(node: string, seconds = 60) {
    const options = {
      db: database.db,
      table: works,
      key: ['id'],
      until: 'heldUntil',
      seconds,
      log: silent,
    } as const;
    const leases =
      kind === 'with'
        ? new Leases({ ...options, holder: { column: 'heldBy', id: () => node } })
        : new Leases(options);
    const take = (id: string) => leases.take(eq(works.id, id));
    return { leases, take };
  }

  async function mustTake({ take }: ReturnType<typeof open>, id: string) {
    const row = await take(id);
    if (!row) throw new Error('the work was not free');
    return row;
  }

  it('let one of many takers work at a time', async () => {
    const { id } = await newWork();
    const nodes = Array.from({ length: 20 }, (_, index) => open(`node ${index}`));
    const taken = await Promise.all(nodes.map(({ take }) => take(id)));
    const [first] = taken.filter((row) => row !== null);
    expect(taken.filter((row) => row !== null)).toHaveLength(1);
    const holder = nodes[taken.findIndex((row) => row !== null)];
    expect(await holder?.leases.release(first as never, { result: 'done' })).toMatchObject({
      result: 'done',
    });
    const again = await Promise.all(nodes.map(({ take }) => take(id)));
    expect(again.filter((row) => row !== null)).toHaveLength(1);
  });

  it('are renewed while the work runs, and end when the holder has died', async () => {
    const { id, read } = await newWork();
    const [one, other] = [open('one', 1), open('other')];
    const row = await mustTake(one, id);
    const first = row.heldUntil?.getTime() ?? 0;
    await one.leases.whileHeld(row, async () => {
      const { rows } = await database.db.execute(sql`SELECT now() + interval '1.5 seconds' AS later`);
      const isPast = async () =>
        (await database.db.execute(sql`SELECT 1 WHERE now() > ${rows[0]?.later}::timestamptz`)).rows.length >
        0;
      await until(async () => {
        expect(await other.take(id)).toBeNull();
        return isPast();
      }, 'the lease would have ended');
    });
    expect(row.heldUntil?.getTime()).toBeGreaterThan(first);
    expect((await read())?.heldUntil).toEqual(row.heldUntil);
    // From here on nobody renews it, as after the death of the process.
    await until(async () => (await other.take(id)) !== null, 'the lease has ended');
  });

  it('tell the work that its lease is lost, and refuse what the former holder writes', async () => {
    const { id, read } = await newWork();
    const [frozen, other] = [open('frozen', 1), open('other')];
    const row = await mustTake(frozen, id);
    const theirs = await frozen.leases.whileHeld(row, async (lost) => {
      // As if the process had been frozen until its lease ended.
      await database.db
        .update(works)
        .set({ heldUntil: sql`now() - interval '1 second'` })
        .where(eq(works.id, id));
      const taken = await mustTake(other, id);
      await until(() => lost.aborted, 'it is told');
      return taken;
    });
    expect(await frozen.leases.renew(row)).toBeNull();
    expect(await frozen.leases.release(row, { result: 'of the former holder' })).toBeNull();
    const written = await database.db
      .update(works)
      .set({ result: 'of the former holder' })
      .where(and(eq(works.id, id), frozen.leases.isMine(row)))
      .returning();
    expect(written).toEqual([]);
    expect(await read()).toMatchObject({ result: null, heldUntil: theirs.heldUntil });
    expect(await other.leases.release(theirs, { result: 'of the holder' })).not.toBeNull();
  });

  it('depend on the clock of the database only', async () => {
    const { id } = await newWork();
    const [ahead, behind] = [open('ahead'), open('behind')];
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() + 3_600_000);
    const row = await mustTake(ahead, id);
    expect(await behind.take(id)).toBeNull();
    vi.setSystemTime(Date.now() - 2 * 3_600_000);
    expect(await behind.take(id)).toBeNull();
    expect(await ahead.leases.renew(row)).not.toBeNull();
    expect(await behind.take(id)).toBeNull();
    expect(await ahead.leases.release(row)).not.toBeNull();
    expect(await behind.take(id)).not.toBeNull();
  });
});

it('ends all leases of a dead node', async () => {
  const node = (id: string) =>
    new Leases({
      db: database.db,
      table: works,
      key: ['id'],
      until: 'heldUntil',
      holder: { column: 'heldBy', id: () => id },
      seconds: 60,
      log: silent,
    });
  const [dead, living] = [node('dead'), node('living')];
  const [one, two, three] = [await newWork(), await newWork(), await newWork()];
  const lost = await dead.take(eq(works.id, one.id));
  await dead.take(eq(works.id, two.id));
  await living.take(eq(works.id, three.id));
  const freed = await living.releaseAllOf('dead');
  expect(freed.map(({ id }) => id).toSorted()).toEqual([one.id, two.id].toSorted());
  expect(await living.take(eq(works.id, one.id))).toMatchObject({ heldBy: 'living' });
  expect(await dead.take(eq(works.id, three.id))).toBeNull();
  if (lost) expect(await dead.renew(lost)).toBeNull();
});
