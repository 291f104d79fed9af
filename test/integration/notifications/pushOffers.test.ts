import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Address } from '../../../sdk/protocol/common.ts';
import type { PushKind } from '../../../sdk/protocol/notifications.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { openDatabase, type OpenDatabase } from '../../../platform/database/database.ts';
import { FcmDriver } from '../../../server/push/FcmDriver.ts';
import { PushServices } from '../../../server/push/PushServices.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { Preferences } from '../../../signaling/notifications/Preferences.ts';
import { Pushes, type Offer } from '../../../signaling/notifications/Pushes.ts';
import { Subscriptions } from '../../../signaling/notifications/Subscriptions.ts';
import { copyDatabaseTemplate } from '../../harness/databaseTemplate.ts';
import { FcmServer } from '../../harness/FcmServer.ts';
import { until } from '../../harness/until.ts';
import { newWallet } from '../support.ts';

/* What messages, voicemail and conferences offer, on a real database and a stand-in of FCM: whoever calls offer() is not there yet. */

const log = pino({ level: 'silent' });
const from = newWallet().address;
let folder: string;
let database: OpenDatabase;
let jobs: ScheduledJobs;
let fcm: FcmServer;
let pushes: Pushes;
let subscriptions: Subscriptions;
let preferences: Preferences;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await copyDatabaseTemplate(folder);
  database = await openDatabase({ dataDir: folder, logger: log });
  fcm = await FcmServer.start();
  const { db } = database;
  jobs = new ScheduledJobs(db, log);
  subscriptions = new Subscriptions(db, (ids) => Promise.resolve(new Set(ids)));
  preferences = new Preferences(db);
  const sender = new PushServices(
    { fcm: new FcmDriver({ account: fcm.serviceAccount, baseUrl: fcm.url }) },
    null,
  );
  pushes = new Pushes({ db, jobs, sender, subscriptions, log });
  jobs.on('test.deadline', () => Promise.resolve());
  jobs.start();
});
afterAll(async () => {
  await jobs?.close();
  await database?.close();
  await fcm?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A wallet with a phone, and what came to it. */
async function wallet() {
  const { address } = newWallet();
  const token = `token-of-${address}`;
  await subscriptions.put(address, 'ses', { service: 'fcm', token });
  const heard = () => fcm.received.filter((each) => each.token === token).map(({ data }) => data);
  return { address, heard };
}

const prefixes = { call: 'call', message: 'msg', voicemail: 'vm', conferenceInvite: 'room' } as const;
const offerOf = (to: Address, kind: PushKind): Offer => ({
  wallet: to,
  kind,
  subject: newId(prefixes[kind]),
  from,
});
const offer = (...offers: Offer[]) => pushes.offer(database.db, ...offers);

it('each kind by its own preference; many in one statement', async () => {
  const { address, heard } = await wallet();
  const other = await wallet();
  await preferences.set(address, { messages: false, conferenceInvites: false });
  const kinds = ['call', 'message', 'voicemail', 'conferenceInvite'] as const;
  const offers = kinds.map((kind) => offerOf(address, kind));
  const last = offerOf(other.address, 'message');
  await offer(...offers, last);
  await until(() => heard().length >= 2 && other.heard().length === 1, 'pushes');
  const kindsHeard = heard().map(({ kind }) => kind);
  expect(kindsHeard.sort()).toEqual(['call', 'voicemail']);
  const [message] = other.heard();
  const { at, ...content } = message ?? {};
  expect(content).toEqual({ version: '1', kind: 'message', id: last.subject, from, to: other.address });
  expect(at).toMatch(/^\d{4}-/);
});

it('what is rolled back, or seen before, is not told', async () => {
  const { address, heard } = await wallet();
  const rolledBack = database.db.transaction(async (tx) => {
    await pushes.offer(tx, offerOf(address, 'message'));
    throw new Error('changed my mind');
  });
  await expect(rolledBack).rejects.toThrow('changed my mind');
  await database.db.transaction(async (tx) => {
    const shown = offerOf(address, 'message');
    await pushes.offer(tx, shown);
    await pushes.seen(tx, shown);
  });
  const told = offerOf(address, 'voicemail');
  await offer(told);
  await until(() => heard().length > 0, 'a push');
  expect(heard().map(({ id }) => id)).toEqual([told.subject]);
});

it('messages of one person share what they replace; calls don’t', async () => {
  const { address, heard } = await wallet();
  const keys = () =>
    fcm.received.filter(({ data }) => data.to === address).map((each) => each.android.collapse_key);
  await offer(offerOf(address, 'message'), offerOf(address, 'message'));
  await until(() => heard().length === 2, 'two messages');
  expect(new Set(keys()).size).toBe(1);
  await offer(offerOf(address, 'call'), offerOf(address, 'call'));
  await until(() => heard().length === 4, 'two calls');
  expect(new Set(keys()).size).toBe(3);
});

it('what has no use any more is not sent', async () => {
  const { address, heard } = await wallet();
  await offer({ ...offerOf(address, 'call'), expiresAt: new Date(Date.now() - 1) });
  await offer(offerOf(address, 'message'));
  await until(() => heard().length > 0, 'a push');
  expect(heard().map(({ kind }) => kind)).toEqual(['message']);
});

it('a push service that hangs keeps no other deadline waiting, and all is sent once it answers', async () => {
  const { address, heard } = await wallet();
  let release = () => {};
  fcm.hold = new Promise<void>((resolve) => (release = resolve));
  const before = heard().length;
  await offer(...Array.from({ length: 250 }, () => offerOf(address, 'message')));
  await until(() => heard().length >= before + 64, 'pushes under way');
  const { db } = database;
  await jobs.set(db, 'test.deadline', 'now', new Date());
  await until(async () => !(await jobs.find(db, 'test.deadline', 'now')), 'the other deadline', 3_000);
  release();
  fcm.hold = null;
  await until(() => heard().length === 250, 'all of them');
  expect(new Set(heard().map(({ id }) => id)).size).toBe(250);
});
