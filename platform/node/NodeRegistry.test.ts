import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { newId } from '../../sdk/protocol/ids.ts';
import { ScheduledJobs } from '../jobs/ScheduledJobs.ts';
import { refuseTheDead } from './OwnNode.ts';
import { until } from '../../test/harness/until.ts';
import { openDatabase, type Database } from '../database/database.ts';
import type { EmbeddedPostgres } from '../embeddedPostgres/EmbeddedPostgres.ts';
import { CleanUp, query, silent } from '../../test/harness/embeddedPostgres/support.ts';
import type { Role } from './roles.ts';
import { lostMs, NodeRegistry } from './NodeRegistry.ts';

const suite = new CleanUp();
let server: EmbeddedPostgres;

beforeAll(async () => {
  server = await suite.start(await suite.temporaryFolder());
});
afterAll(() => suite.run());

let databases = 0;

/** A database of its own: whoever is in it is seen by nobody else. It counts how often a death was announced. */
async function newCluster(cleanUp: CleanUp) {
  const name = `cluster_${++databases}`;
  await query(server, `CREATE DATABASE ${name}`);
  const url = server.url.replace('///postgres', `///${name}`);
  const open = async (poolSize = 3) => {
    const database = await openDatabase({ url, dataDir: '', poolSize, logger: silent });
    cleanUp.add(() => database.close());
    return database;
  };
  const { db } = await open();
  await db.execute(sql`
    CREATE TABLE announced (node text);
    CREATE FUNCTION announce() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO announced VALUES (NEW.subject); RETURN NEW; END $$;
    CREATE TRIGGER announce AFTER INSERT OR UPDATE ON due FOR EACH ROW EXECUTE FUNCTION announce()`);
  return { url, db, open };
}

interface Options {
  poolSize?: number;
  roles?: Role[];
  address?: string | null;
  load?: () => number;
}

async function start({ onTestFinished }: TestContext) {
  const cleanUp = new CleanUp();
  onTestFinished(() => cleanUp.run());
  const cluster = await newCluster(cleanUp);
  return {
    ...cluster,
    cleanUp,
    join: async ({ poolSize, ...options }: Options = {}) => {
      const { db, pool, close } = await cluster.open(poolSize);
      const jobs = new ScheduledJobs(db, silent);
      const registry = await NodeRegistry.join({
        db,
        jobs,
        log: silent,
        roles: ['media'],
        address: 'somewhere:1',
        load: () => 0,
        ...options,
      });
      const events: string[] = [];
      registry.on('died', (id) => events.push(`died ${id}`));
      registry.on('reborn', () => events.push('reborn'));
      // Without its database it can't take leave, and has not to.
      cleanUp.add(() => registry.close().catch(() => undefined));
      /** Its end without a word. */
      const cutOff = close;
      return { registry, events, db, pool, cutOff };
    },
    /** How often each death was announced. */
    announced: async (): Promise<Record<string, number>> => {
      const { rows } = await cluster.db.execute<{ node: string; times: number }>(
        sql`SELECT node, count(*)::int AS times FROM announced GROUP BY node`,
      );
      return Object.fromEntries(rows.map(({ node, times }) => [node, times]));
    },
  };
}

type Joined = Awaited<ReturnType<Awaited<ReturnType<typeof start>>['join']>>;

const sees = async ({ registry }: Joined, id: string) => {
  await until(() => registry.isAlive(id), `${registry.id} sees ${id}`);
};
const seesEnd = async ({ registry }: Joined, id: string) => {
  await until(() => !registry.isAlive(id), `${registry.id} sees the end of ${id}`);
};
/** A look around that began after now. */
async function lookAround({ registry }: Joined): Promise<void> {
  await registry.refresh();
  await registry.refresh();
}
const isAlive = async (db: Database, { registry }: Joined): Promise<boolean> => {
  const { rows } = await db.execute<{ alive: boolean }>(sql`SELECT ${registry.stillAlive} AS alive`);
  return rows[0]?.alive === true;
};

describe.concurrent('nodes on one database', () => {
  it('see each other, with their roles, addresses and loads, and who is draining', async (context) => {
    const { join, db } = await start(context);
    let load = 0.25;
    const one = await join({ roles: ['api', 'signaling'], address: 'one:1' });
    const two = await join({ roles: ['media'], address: 'two:2', load: () => load });
    await sees(one, two.registry.id);
    await sees(two, one.registry.id);
    const lookup = ({ registry }: Joined, id: string) => registry.living.find((node) => node.id === id);
    expect(lookup(one, two.registry.id)).toMatchObject({
      roles: ['media'],
      address: 'two:2',
      load: 0.25,
      draining: false,
    });
    expect(lookup(two, one.registry.id)).toMatchObject({ roles: ['api', 'signaling'], address: 'one:1' });
    expect(lookup(two, two.registry.id)).toMatchObject({ roles: ['media'], seenMsAgo: 0 });
    expect(lookup(one, two.registry.id)?.seenMsAgo).toBeLessThan(lostMs);
    load = 0.75;
    // A heartbeat that is under way says nothing of it yet.
    void two.registry.refresh();
    await two.registry.drain();
    const { rows } = await db.execute(sql`SELECT draining FROM nodes WHERE id = ${two.registry.id}`);
    expect(rows).toEqual([{ draining: true }]);
    await until(() => lookup(one, two.registry.id)?.draining, 'two is seen draining');
    expect(lookup(one, two.registry.id)?.load).toBe(0.75);
    expect([...one.events, ...two.events]).toEqual([]);
  });

  it('see who leaves, which is announced once', async (context) => {
    const { join, db, announced } = await start(context);
    const three = await join({ address: null });
    const [one, two] = [await join(), await join()];
    await sees(one, two.registry.id);
    await two.registry.close();
    await two.registry.close();
    await seesEnd(one, two.registry.id);
    expect(one.events).toEqual([`died ${two.registry.id}`]);
    expect(await announced()).toEqual({ [two.registry.id]: 1 });
    expect(await isAlive(db, two)).toBe(false);
    expect(await isAlive(db, one)).toBe(true);
    // Who was declared dead before has nothing to leave.
    expect(await one.registry.declareDead(three.registry.id, 0)).toBe(true);
    await three.registry.close();
    expect(await announced()).toMatchObject({ [three.registry.id]: 1 });
  });

  it('declare who has died dead once, however many do, and all hear it once', async (context) => {
    const { join, announced, db } = await start(context);
    const watchers = [await join(), await join(), await join()];
    const dead = await join();
    const { id } = dead.registry;
    for (const watcher of watchers) await sees(watcher, id);
    await dead.cutOff();
    const verdicts = watchers.flatMap(({ registry }) => [
      registry.declareDead(id, 0),
      registry.declareDead(id, 0),
      registry.declareDead(id, 0),
    ]);
    expect(new Set(await Promise.all(verdicts))).toEqual(new Set([true]));
    expect(await announced()).toEqual({ [id]: 1 });
    const { rows } = await db.execute(sql`SELECT kind, payload FROM due WHERE subject = ${id}`);
    expect(rows).toMatchObject([{ kind: 'node.died' }]);
    const { seenAt } = rows[0]?.['payload'] as { seenAt: string };
    expect(Math.abs(Date.now() - Date.parse(seenAt))).toBeLessThan(5_000);
    // What follows from it has been done: a late judge does not begin it again.
    await db.execute(sql`DELETE FROM due`);
    expect(await watchers[0]?.registry.declareDead(id, 0)).toBe(true);
    for (const watcher of watchers) await lookAround(watcher);
    expect(watchers.map(({ events }) => events)).toEqual(watchers.map(() => [`died ${id}`]));
    expect(await announced()).toEqual({ [id]: 1 });
  });

  it('do not declare dead who was seen meanwhile', async (context) => {
    const { join, announced } = await start(context);
    const [one, two] = [await join(), await join()];
    await two.registry.refresh();
    expect(await one.registry.declareDead(two.registry.id, lostMs)).toBe(false);
    await lookAround(one);
    expect(one.registry.isAlive(two.registry.id)).toBe(true);
    expect([one.events, await announced()]).toEqual([[], {}]);
    expect(await one.registry.declareDead('node_unknown', 0)).toBe(true);
  });

  it('who was declared dead writes nothing, judges nobody, and begins anew under another id', async (context) => {
    const { join, db, announced } = await start(context);
    const [dead, judge] = [await join(), await join()];
    const { id, stillAlive } = dead.registry;
    await sees(judge, id);
    await sees(dead, judge.registry.id);
    expect(await judge.registry.declareDead(id, 0)).toBe(true);
    // At once: with its next heartbeat it finds out, and begins anew.
    expect(await dead.registry.declareDead(judge.registry.id, 0)).toBe(false);
    await expect(refuseTheDead(dead.db, { id, stillAlive })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await isAlive(db, judge)).toBe(true);
    await until(() => dead.events.includes('reborn'), 'it begun anew');
    expect(dead.events).toEqual(['reborn']);
    expect(dead.registry.id).not.toBe(id);
    await sees(judge, dead.registry.id);
    expect(await isAlive(db, dead)).toBe(true);
    await refuseTheDead(dead.db, dead.registry);
    await sees(dead, judge.registry.id);
    expect(judge.events).toEqual([`died ${id}`]);
    expect(await announced()).toEqual({ [id]: 1 });
  });

  it('is declared dead by those who watch once it has been silent for so long, and begins anew when it thaws', async (context) => {
    const { join, url, cleanUp, announced } = await start(context);
    const [one, two] = [await join(), await join()];
    const child = await startChild(url, cleanUp);
    for (const watcher of [one, two]) await sees(watcher, child.id);
    child.freeze();
    const frozenAt = performance.now();
    for (const watcher of [one, two]) await seesEnd(watcher, child.id);
    const silentMs = performance.now() - frozenAt;
    // It may have beaten just before.
    expect(silentMs).toBeGreaterThan(4_400);
    expect(await announced()).toEqual({ [child.id]: 1 });
    child.thaw();
    const [word, id = ''] = await child.line();
    expect(word).toBe('reborn');
    expect(id).not.toBe(child.id);
    for (const watcher of [one, two]) await sees(watcher, id);
    expect([one.events, two.events]).toEqual([[`died ${child.id}`], [`died ${child.id}`]]);
    expect(await announced()).toEqual({ [child.id]: 1 });
  });

  it('that could not look for a while does not judge by what it finds then', async (context) => {
    const { join, db, announced } = await start(context);
    const id = await silentNode(db);
    const judge = await join({ poolSize: 1 });
    const joinedAt = Date.now();
    // Long enough to judge, had there been no gap.
    await until(async () => {
      await db.execute(sql`UPDATE nodes SET seen_at = now() WHERE id = ${id}`);
      return Date.now() - joinedAt > 5_500;
    }, 'it has watched');
    expect(judge.registry.isAlive(id)).toBe(true);
    const connection = await judge.pool.connect();
    await db.execute(sql`UPDATE nodes SET seen_at = now() - interval '10 seconds' WHERE id = ${id}`);
    const gapAt = Date.now();
    await until(() => Date.now() - gapAt > lostMs + 600, 'a gap');
    connection.release();
    await lookAround(judge);
    expect(judge.registry.living.find((node) => node.id === id)?.seenMsAgo).toBeGreaterThan(10_000);
    expect([judge.events, await announced()]).toEqual([[], {}]);
  });

  it('that has just come does not judge by what it finds then', async (context) => {
    const { join, db, announced } = await start(context);
    const id = await silentNode(db);
    await db.execute(sql`UPDATE nodes SET seen_at = now() - interval '10 seconds' WHERE id = ${id}`);
    const judge = await join();
    await lookAround(judge);
    // Nor does a link that is down make it.
    expect(await judge.registry.declareDead(id, lostMs)).toBe(false);
    expect(judge.registry.isAlive(id)).toBe(true);
    expect(await announced()).toEqual({});
  });

  it('whose connections are cut has others at once, and is taken for dead by nobody', async (context) => {
    const { join, db } = await start(context);
    const [one, two] = [await join(), await join()];
    await sees(one, two.registry.id);
    await db.execute(
      sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    const seen = new Promise<void>((resolve) => two.registry.on('seen', resolve));
    await seen;
    await until(
      () =>
        lookAround(one).then(
          () => true,
          () => false,
        ),
      'one looks around again',
    );
    expect(one.registry.isAlive(two.registry.id)).toBe(true);
    expect([...one.events, ...two.events]).toEqual([]);
  });

  it('that is alone takes the place of whoever was there before', async (context) => {
    const { join, announced, db } = await start(context);
    const [before, left] = [await join(), await join()];
    await left.registry.close();
    await before.cutOff();
    // A node that was there just now may be there still.
    await expect(join({ address: null })).rejects.toThrow('Nodes of a cluster use this database');
    await db.execute(sql`UPDATE nodes SET seen_at = now() - interval '6 seconds'`);
    const alone = await join({ address: null });
    expect(alone.registry.living.map(({ id }) => id)).toEqual([alone.registry.id]);
    expect(await announced()).toEqual({ [before.registry.id]: 1, [left.registry.id]: 1 });
    expect(await isAlive(db, before)).toBe(false);
    expect(await isAlive(db, alone)).toBe(true);
  });
});

/** A node that beats only when the test says so. */
async function silentNode(db: Database): Promise<string> {
  const id = newId('node');
  await db.execute(sql`INSERT INTO nodes (id, roles, address) VALUES (${id}, ARRAY['media'], 'somewhere:1')`);
  return id;
}

async function startChild(url: string, cleanUp: CleanUp) {
  const script = fileURLToPath(new URL('../../test/harness/registeredNode.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, url], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  cleanUp.add(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const line = async () => {
    const next = await lines.next();
    if (next.done) throw new Error('the child has ended');
    return next.value.split(' ');
  };
  const [, id = ''] = await line();
  return { id, line, freeze: () => child.kill('SIGSTOP'), thaw: () => child.kill('SIGCONT') };
}
