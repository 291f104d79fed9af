import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { pino, type Logger } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi, type TestContext } from 'vitest';
import { newId } from '../../sdk/protocol/ids.ts';
import { ScheduledJobs } from '../jobs/ScheduledJobs.ts';
import { livingTransaction } from './livingTransaction.ts';
import { until } from '../../test/harness/until.ts';
import { openDatabase, type Database } from '../database/database.ts';
import type { EmbeddedPostgres } from '../embeddedPostgres/EmbeddedPostgres.ts';
import { CleanUp, query, silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import type { Role } from './roles.ts';
import { isLivingSingle } from './LifeLock.ts';
import { lostMs, NodeRegistry } from './NodeRegistry.ts';

const suite = new CleanUp();
let server: EmbeddedPostgres;

beforeAll(async () => {
  server = await suite.start(await suite.temporaryFolder());
});
afterAll(() => suite.run());

let databases = 0;

/** Creates a separate database, so that the clusters of concurrent tests do not interfere. A trigger records each `node.died` job. */
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
  log?: Logger;
  usage?: () => { load: number; cpu: number };
  /** Whether other servers see that this single node lives. */
  single?: boolean;
}

async function start({ onTestFinished }: TestContext) {
  const cleanUp = new CleanUp();
  onTestFinished(() => cleanUp.run());
  const cluster = await newCluster(cleanUp);
  return {
    ...cluster,
    cleanUp,
    join: async ({ poolSize, single = false, ...options }: Options = {}) => {
      const { db, pool, close } = await cluster.open(poolSize);
      const jobs = new ScheduledJobs(db, silent);
      const registry = await NodeRegistry.join({
        db,
        jobs,
        log: silent,
        roles: ['media'],
        address: 'somewhere:1',
        usage: () => ({ load: 0, cpu: 0 }),
        release: 'test',
        pool: single ? pool : null,
        ...options,
      });
      const events: string[] = [];
      registry.on('died', (id) => events.push(`died ${id}`));
      registry.on('rejoined', () => events.push('rejoined'));
      // Without its database a node cannot leave.
      cleanUp.add(() => registry.close().catch(() => undefined));
      /** Closes the node's database connections. The node does not leave the cluster first. */
      const cutOff = close;
      return { registry, events, db, pool, cutOff };
    },
    /** @returns the number of announcements of each node's death */
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
/** Waits for a refresh that starts after this call. */
async function refreshAgain({ registry }: Joined): Promise<void> {
  await registry.refresh();
  await registry.refresh();
}
const isAlive = async (db: Database, { registry }: Joined): Promise<boolean> => {
  const { rows } = await db.execute<{ alive: boolean }>(sql`SELECT ${registry.stillAlive} AS alive`);
  return rows[0]?.alive === true;
};

describe.concurrent('nodes on one database', () => {
  it('list each other with role, address, load and draining state', async (context) => {
    const { join, db } = await start(context);
    let load = 0.25;
    const one = await join({ roles: ['api', 'signaling'], address: 'one:1' });
    const two = await join({ roles: ['media'], address: 'two:2', usage: () => ({ load, cpu: 0 }) });
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
    // This heartbeat does not report the draining state yet.
    void two.registry.refresh();
    await two.registry.drain();
    const { rows } = await db.execute(sql`SELECT draining FROM nodes WHERE id = ${two.registry.id}`);
    expect(rows).toEqual([{ draining: true }]);
    await until(() => lookup(one, two.registry.id)?.draining, 'two is seen draining');
    expect(lookup(one, two.registry.id)?.load).toBe(0.75);
    expect([...one.events, ...two.events]).toEqual([]);
  });

  it('notice a node that leaves, and announce it once', async (context) => {
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
    // A node that was declared dead has already left.
    expect(await one.registry.declareDead(three.registry.id, 0)).toBe(true);
    await three.registry.close();
    expect(await announced()).toMatchObject({ [three.registry.id]: 1 });
  });

  it('declare a dead node dead only once, even if they do so concurrently, and each node emits one event', async (context) => {
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
    // The job has run: a later declaration does not schedule it again.
    await db.execute(sql`DELETE FROM due`);
    expect(await watchers[0]?.registry.declareDead(id, 0)).toBe(true);
    for (const watcher of watchers) await refreshAgain(watcher);
    expect(watchers.map(({ events }) => events)).toEqual(watchers.map(() => [`died ${id}`]));
    expect(await announced()).toEqual({ [id]: 1 });
  });

  it('do not declare a node dead that has sent a heartbeat since', async (context) => {
    const { join, announced } = await start(context);
    const [one, two] = [await join(), await join()];
    await two.registry.refresh();
    expect(await one.registry.declareDead(two.registry.id, lostMs)).toBe(false);
    await refreshAgain(one);
    expect(one.registry.isAlive(two.registry.id)).toBe(true);
    expect([one.events, await announced()]).toEqual([[], {}]);
    expect(await one.registry.declareDead('node_unknown', 0)).toBe(true);
  });

  it('can no longer write once declared dead, and rejoin under another id', async (context) => {
    const { join, db, announced } = await start(context);
    const [dead, judge] = [await join(), await join()];
    const { id, stillAlive } = dead.registry;
    await sees(judge, id);
    await sees(dead, judge.registry.id);
    expect(await judge.registry.declareDead(id, 0)).toBe(true);
    // This happens before its next heartbeat, at which it notices its death and rejoins.
    expect(await dead.registry.declareDead(judge.registry.id, 0)).toBe(false);
    const nothing = () => Promise.resolve();
    await expect(livingTransaction(dead.db, { id, stillAlive }, nothing)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await isAlive(db, judge)).toBe(true);
    await until(() => dead.events.includes('rejoined'), 'it has rejoined');
    expect(dead.events).toEqual(['rejoined']);
    expect(dead.registry.id).not.toBe(id);
    await sees(judge, dead.registry.id);
    expect(await isAlive(db, dead)).toBe(true);
    await livingTransaction(dead.db, dead.registry, nothing);
    await sees(dead, judge.registry.id);
    expect(judge.events).toEqual([`died ${id}`]);
    expect(await announced()).toEqual({ [id]: 1 });
  });

  it('cannot commit what they began before they were declared dead', async (context) => {
    const { join, db, announced } = await start(context);
    const [dead, judge] = [await join(), await join()];
    const { id, stillAlive } = dead.registry;
    await db.execute(sql`CREATE TABLE written (what text)`);
    let began = () => {};
    const begun = new Promise<void>((resolve) => (began = resolve));
    let proceed = () => {};
    const told = new Promise<void>((resolve) => (proceed = resolve));
    const writing = livingTransaction(dead.db, { id, stillAlive }, async (executor) => {
      await executor.execute(sql`INSERT INTO written VALUES ('by a dead node')`);
      began();
      await told;
    }).catch((error: unknown) => error);
    await begun;
    expect(await judge.registry.declareDead(id, 0)).toBe(true);
    expect(await announced()).toEqual({ [id]: 1 });
    proceed();
    expect(await writing).toBeInstanceOf(Error);
    expect((await db.execute(sql`SELECT FROM written`)).rows).toEqual([]);
  });

  it('cannot begin a transaction while they are being declared dead', async (context) => {
    const { join, db } = await start(context);
    const [dead, judge] = [await join({ poolSize: 6 }), await join()];
    const { id, stillAlive } = dead.registry;
    let declared: Promise<boolean> | undefined;
    let began = false;
    const isWaiting = async (what: string) => {
      const { rows } = await db.execute(
        sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = ${what}`,
      );
      return rows.length > 0;
    };
    let writing: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      // The declaration stops where it announces the death.
      await tx.execute(sql`LOCK TABLE due IN EXCLUSIVE MODE`);
      declared = judge.registry.declareDead(id, 0);
      await until(() => isWaiting('relation'), 'the node is being declared dead');
      writing = livingTransaction(dead.db, { id, stillAlive }, async () => {
        began = true;
        await Promise.resolve();
      }).catch((error: unknown) => error);
      await until(() => isWaiting('advisory'), 'its transaction waits');
    });
    expect(await declared).toBe(true);
    expect(await writing).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(began).toBe(false);
  });

  it('declare a frozen node dead after five seconds; it rejoins when it thaws', async (context) => {
    const { join, url, cleanUp, announced } = await start(context);
    const [one, two] = [await join(), await join()];
    const child = await startChild(url, cleanUp);
    for (const watcher of [one, two]) await sees(watcher, child.id);
    child.freeze();
    const frozenAt = performance.now();
    for (const watcher of [one, two]) await seesEnd(watcher, child.id);
    const silentMs = performance.now() - frozenAt;
    // Its last heartbeat may have been just before it froze.
    expect(silentMs).toBeGreaterThan(4_400);
    expect(await announced()).toEqual({ [child.id]: 1 });
    child.thaw();
    const [event, id = ''] = await child.line();
    expect(event).toBe('rejoined');
    expect(id).not.toBe(child.id);
    for (const watcher of [one, two]) await sees(watcher, id);
    expect([one.events, two.events]).toEqual([[`died ${child.id}`], [`died ${child.id}`]]);
    expect(await announced()).toEqual({ [child.id]: 1 });
  });

  it('do not declare other nodes dead right after a gap in their own heartbeats', async (context) => {
    const { join, db, announced } = await start(context);
    const id = await silentNode(db);
    const judge = await join({ poolSize: 1 });
    const joinedAt = Date.now();
    // After this time, the judge would declare a node dead, if it were not for the gap that follows.
    await until(async () => {
      await db.execute(sql`UPDATE nodes SET seen_at = now() WHERE id = ${id}`);
      return Date.now() - joinedAt > 5_500;
    }, '5.5 s have passed');
    expect(judge.registry.isAlive(id)).toBe(true);
    const connection = await judge.pool.connect();
    await db.execute(sql`UPDATE nodes SET seen_at = now() - interval '10 seconds' WHERE id = ${id}`);
    const gapAt = Date.now();
    await until(() => Date.now() - gapAt > lostMs + 600, 'a gap');
    connection.release();
    await refreshAgain(judge);
    expect(judge.registry.living.find((node) => node.id === id)?.seenMsAgo).toBeGreaterThan(10_000);
    expect([judge.events, await announced()]).toEqual([[], {}]);
  });

  it('do not declare other nodes dead right after joining', async (context) => {
    const { join, db, announced } = await start(context);
    const id = await silentNode(db);
    await db.execute(sql`UPDATE nodes SET seen_at = now() - interval '10 seconds' WHERE id = ${id}`);
    const judge = await join();
    await refreshAgain(judge);
    // It is not declared dead even after a report that its link is down.
    expect(await judge.registry.declareDead(id, lostMs)).toBe(false);
    expect(judge.registry.isAlive(id)).toBe(true);
    expect(await announced()).toEqual({});
  });

  it('survive the loss of their database connections', async (context) => {
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
        refreshAgain(one).then(
          () => true,
          () => false,
        ),
      'node one refreshes again',
    );
    expect(one.registry.isAlive(two.registry.id)).toBe(true);
    expect([...one.events, ...two.events]).toEqual([]);
  });

  it('are replaced by a single node that uses their database', async (context) => {
    const { join, announced, db } = await start(context);
    const [before, left] = [await join(), await join()];
    await left.registry.close();
    await before.cutOff();
    // A node with a recent heartbeat may still be running.
    await expect(join({ address: null })).rejects.toThrow('Nodes of a cluster use this database');
    await db.execute(sql`UPDATE nodes SET seen_at = now() - interval '6 seconds'`);
    const single = await join({ address: null });
    expect(single.registry.living.map(({ id }) => id)).toEqual([single.registry.id]);
    expect(await announced()).toEqual({ [before.registry.id]: 1, [left.registry.id]: 1 });
    expect(await isAlive(db, before)).toBe(false);
    expect(await isAlive(db, single)).toBe(true);
  });

  it('say that another single server uses their database', async (context) => {
    const { join } = await start(context);
    const lines: string[] = [];
    const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) });
    const first = await join({ address: null, log });
    const second = await join({ address: null, log });
    await until(() => first.events.includes('rejoined'), 'the first one goes on under another id');
    for (let time = 0; time < 2; time++) for (const { registry } of [first, second]) await registry.refresh();
    const told = lines.filter((line) => line.includes('another server uses this database'));
    expect(told.map((line) => (JSON.parse(line) as { node: string }).node).sort()).toEqual(
      [first.registry.id, second.registry.id].sort(),
    );
  });

  it('start beside no single node, until its process has ended', async (context) => {
    const { join, url, cleanUp, db } = await start(context);
    const child = await startChild(url, cleanUp, 'single');
    const one = { address: null, single: true };
    for (const options of [one, {}])
      await expect(join(options)).rejects.toThrow(
        'Another server without REDIS_URL uses this database: stop it',
      );
    // PostgreSQL restarts: the lock is taken again.
    await db
      .execute(
        sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      )
      .catch(() => undefined);
    const isLocked = async () =>
      (await db.execute(sql`SELECT FROM nodes WHERE died_at IS NULL AND ${isLivingSingle}`)).rows.length ===
      1;
    await until(() => isLocked().catch(() => false), 'the single node shows again that it lives');
    await child.kill();
    // Its heartbeat is recent, but its process is dead.
    const next = await join(one);
    expect(next.registry.living.map(({ id }) => id)).toEqual([next.registry.id]);
    next.registry.makeRoom();
    await refreshAgain(next);
    const after = await join(one);
    expect(after.registry.living.map(({ id }) => id)).toEqual([after.registry.id]);
  });

  it('start one at a time as single nodes', async (context) => {
    const { join } = await start(context);
    const one = { address: null, single: true };
    const outcomes = await Promise.allSettled([join(one), join(one), join(one)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  });
});

it('a clock that is set neither causes a death nor prevents one', async (context) => {
  const { join, db, announced } = await start(context);
  context.onTestFinished(() => void vi.useRealTimers());
  const id = await silentNode(db);
  const judge = await join();
  const seen = (msAgo: number) =>
    db.execute(
      sql`UPDATE nodes SET seen_at = now() - make_interval(secs => ${msAgo / 1_000}) WHERE id = ${id}`,
    );
  const joinedAt = performance.now();
  // After this time, the judge declares a silent node dead.
  await until(async () => {
    await seen(0);
    return performance.now() - joinedAt > 5_500;
  }, '5.5 s have passed');
  // To the judge, it looks the same when the database's clock is set forward: other nodes have not sent a heartbeat since.
  await seen(10_000);
  await refreshAgain(judge);
  expect([judge.events, await announced()]).toEqual([[], {}]);
  vi.useFakeTimers({ toFake: ['Date'] });
  // It looks the same when all machines were suspended, and this one continues first.
  vi.setSystemTime(Date.now() + 3_600_000);
  await seen(10_000);
  await refreshAgain(judge);
  expect([judge.events, await announced()]).toEqual([[], {}]);
  vi.setSystemTime(Date.now() - 2 * 3_600_000);
  await seesEnd(judge, id);
  expect(await announced()).toEqual({ [id]: 1 });
});

/** Adds the row of a node that sends no heartbeats by itself. */
async function silentNode(db: Database): Promise<string> {
  const id = newId('node');
  await db.execute(sql`INSERT INTO nodes (id, roles, address) VALUES (${id}, ARRAY['media'], 'somewhere:1')`);
  return id;
}

async function startChild(url: string, cleanUp: CleanUp, ...options: string[]) {
  const script = fileURLToPath(new URL('../../test/harness/nodes/registeredNode.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, url, ...options], {
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
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { id, line, kill, freeze: () => child.kill('SIGSTOP'), thaw: () => child.kill('SIGCONT') };
}
