import { eq, sql } from 'drizzle-orm';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LocalMediaCluster } from '../../../media/cluster/LocalMediaCluster.ts';
import { openLocal } from '../../harness/media/mediaFixtures.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { openDatabase, type OpenDatabase } from '../../../platform/database/database.ts';
import { noAccountEvents } from '../../../signaling/events/AccountEvents.ts';
import { BlockList } from '../../../signaling/calls/BlockList.ts';
import { createCalls } from '../../../signaling/calls/createCalls.ts';
import { calls as callsTable } from '../../../signaling/calls/tables.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { due } from '../../../platform/jobs/tables.ts';
import { memoryLimiters } from '../../../platform/limits/limiters.ts';
import { Contacts } from '../../../signaling/Contacts.ts';
import { LimitFactory } from '../../../platform/limits/Limits.ts';
import type { MediaSessions } from '../../../signaling/media/MediaSessions.ts';
import { PushServices } from '../../../server/push/PushServices.ts';
import { Pushes } from '../../../signaling/notifications/Pushes.ts';
import { Subscriptions } from '../../../signaling/notifications/Subscriptions.ts';
import type { Notifier } from '../../../signaling/socket/Notifier.ts';
import { until } from '../../harness/until.ts';
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';

const people = { nameFor: () => Promise.resolve(null) };

/* Failures of single steps of a call, with a real database and real media workers. */

const [alice, bob] = [
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
] as const;
const log = pino({ level: 'silent' });
let folder: string;
let database: OpenDatabase;
let cluster: LocalMediaCluster;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await copyDatabaseTemplate(folder);
  database = await openDatabase({ dataDir: folder, logger: log });
  cluster = await openLocal();
});

afterAll(async () => {
  await cluster?.close();
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Calls whose notifier or media may fail, as when the Socket.IO adapter or every media worker is unavailable. */
function openCalls({
  notifier,
  media,
}: {
  notifier: Notifier['toWallet'];
  media: Pick<MediaSessions, 'openRoom'> & Partial<Pick<MediaSessions, 'closeRoom'>>;
}) {
  const { db } = database;
  const node = { id: 'node', stillAlive: sql`true` };
  const jobs = new ScheduledJobs(db, log);
  const subscriptions = new Subscriptions(db, (ids) => Promise.resolve(new Set(ids)));
  return createCalls({
    node,
    db,
    blockList: new BlockList(db),
    contacts: new Contacts(db),
    limitFactory: new LimitFactory(memoryLimiters),
    callsPerCaller: 100,
    callsPerCallee: 600,
    jobs,
    pushes: new Pushes({ db, jobs, sender: new PushServices({}, null), subscriptions, people, log }),
    recordings: { addScope: () => undefined } as never,
    accountEvents: noAccountEvents,
    media: {
      addScope: () => undefined,
      closeRoom: (id: string) => cluster.closeRoom(id),
      ...media,
    } as unknown as MediaSessions,
    notifier: { toWallet: notifier } as Notifier,
    log,
    ringMs: 30_000,
    graceMs: 20_000,
  });
}

const context = {
  wallet: alice,
  sessionId: 'ses',
  network: 'mainnet' as const,
  socketId: 'socket',
  subnets: [],
  peers: new Map<string, string>(),
  guest: null,
  countedAs: alice,
};

it('closes the room and ends the call when the callee cannot be notified', async () => {
  const sent: string[] = [];
  const { calls } = openCalls({
    media: { openRoom: (id) => cluster.openRoom(id) },
    notifier: (_wallet, event) => {
      sent.push(event);
      if (event === 'call:incoming') throw new Error('adapter unavailable');
    },
  });
  await expect(calls.start(context, { to: bob, type: 'audio' })).rejects.toThrow('adapter unavailable');
  expect(sent).toEqual(['call:incoming', 'call:missed', 'call:missed']);
  const [record] = await calls.history(context, { limit: 50, offset: 0 });
  expect(record).toMatchObject({ status: 'missed', endReason: 'failed' });
  expect(await calls.active(alice)).toEqual([]);
  await expect(cluster.room(record?.id ?? '').peers({})).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(cluster.roomsPerWorker).toEqual([0]);
});

it('does not ring when no room can be opened', async () => {
  const sent: string[] = [];
  const { calls } = openCalls({
    media: { openRoom: () => Promise.reject(new Error('no media worker available')) },
    notifier: (_wallet, event) => void sent.push(event),
  });
  await expect(calls.start(context, { to: bob, type: 'audio' })).rejects.toThrow('no media worker available');
  expect(sent).not.toContain('call:incoming');
  expect(await calls.active(alice)).toEqual([]);
});

it('opens the room before the call is answered', async () => {
  const { calls } = openCalls({
    media: { openRoom: (id) => cluster.openRoom(id) },
    notifier: () => undefined,
  });
  const call = await calls.start(context, { to: bob, type: 'audio' });
  expect(await cluster.room(call.id).peers({})).toEqual([]);
  await calls.end(context, call.id);
  await expect(cluster.room(call.id).peers({})).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('tells a callee nothing of a blocked caller who reconnects', async () => {
  const sent: string[] = [];
  const blocked = new BlockList(database.db);
  await blocked.block(bob, alice);
  const { calls } = openCalls({
    media: { openRoom: (id) => cluster.openRoom(id) },
    notifier: (wallet, event) => void (wallet === bob && sent.push(event)),
  });
  const { id: callId } = await calls.start(context, { to: bob, type: 'audio' });
  await calls.onDisconnected(context.socketId);
  const back = { ...context, socketId: 'back' };
  await calls.rejoin(back, { callId, held: [context.socketId] });
  await calls.end(back, callId);
  expect(sent).toEqual([]);
  await blocked.unblock(bob, alice);
});

it('leaves a call with the device that takes it over while the former one reconnects', async () => {
  const { db } = database;
  const { calls } = openCalls({
    media: { openRoom: (id) => cluster.openRoom(id) },
    notifier: () => undefined,
  });
  const { id: callId } = await calls.start(context, { to: bob, type: 'audio' });
  const [second, back] = [
    { ...context, socketId: 'second' },
    { ...context, socketId: 'back' },
  ];
  let returning: Promise<unknown> = Promise.resolve();
  await db.transaction(async (tx) => {
    await tx.execute(sql`SELECT FROM calls WHERE id = ${callId} FOR UPDATE`);
    returning = calls.rejoin(back, { callId, held: [context.socketId] }).catch((error: unknown) => error);
    await until(
      async () =>
        (await db.execute(sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`)).rows.length > 0,
      'the device that returns has read the call',
    );
    // What the other device's request does.
    await tx.execute(
      sql`UPDATE calls SET caller_socket = ${second.socketId}, revision = revision + 1 WHERE id = ${callId}`,
    );
  });
  expect(await returning).toMatchObject({ code: 'CONFLICT' });
  await calls.admit(second, callId);
  await calls.end(second, callId);
});

it('completes the unfinished work of a dead node for the devices that missed its events', async () => {
  const [carol, dave] = [
    '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
    '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
  ] as const;
  const sent: string[] = [];
  const closed: string[] = [];
  const { db } = database;
  const call = (over: object) => ({
    id: newId('call'),
    caller: carol,
    callee: dave,
    type: 'audio' as const,
    status: 'ended' as const,
    startedAt: new Date(Date.now() - 60_000),
    answeredAt: new Date(Date.now() - 50_000),
    endedAt: new Date(),
    endReason: 'hangup',
    hidden: false,
    callerSocket: 'gone',
    calleeSocket: 'here',
    callerNode: 'dead',
    calleeNode: 'alive',
    ...over,
  });
  const [ended, active, old] = [
    call({}),
    call({ status: 'active', answeredAt: new Date(), endedAt: null, endReason: null }),
    call({ endedAt: new Date(Date.now() - 40_000) }),
  ];
  await db.insert(callsTable).values([ended, active, old]);
  const { maintenance } = openCalls({
    media: {
      openRoom: (id) => cluster.openRoom(id),
      closeRoom: (id) => Promise.resolve(void closed.push(id)),
    },
    notifier: (wallet, event, payload) => {
      const { id, callId = id } = payload as { id?: string; callId?: string };
      sent.push(`${wallet} ${event} ${callId}`);
    },
  });
  const now = new Date().toISOString();
  await maintenance.onNodeDied('dead', { seenAt: now, diedAt: now, roles: ['signaling'] });
  // Calls of other tests in this file are just as recent.
  expect([closed.includes(ended.id), closed.includes(old.id)]).toEqual([true, false]);
  expect(sent.filter((line) => line.startsWith(carol) || line.startsWith(dave)).sort()).toEqual(
    [
      `${dave} call:participant:away ${active.id}`,
      ...[carol, dave].flatMap((wallet) => [
        `${wallet} call:ended ${ended.id}`,
        `${wallet} call:answered ${active.id}`,
      ]),
    ].sort(),
  );
  // Only the party that was connected to the dead node has a grace period.
  const gracePeriods = await db.select().from(due).where(eq(due.kind, 'call.gone'));
  expect(gracePeriods).toMatchObject([{ subject: `${active.id}/caller`, payload: { socket: 'gone' } }]);
});
