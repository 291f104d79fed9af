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
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';
import { FcmServer } from '../../harness/services/FcmServer.ts';
import { until } from '../../harness/until.ts';
import { newWallet } from '../support.ts';

const people = { nameFor: () => Promise.resolve(null) };

/* Pushes for messages, voicemail and conferences, with a real database and a fake FCM. The tests call offer() themselves. */

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
  pushes = new Pushes({ db, jobs, sender, subscriptions, people, log });
  jobs.on('test.deadline', () => Promise.resolve());
  jobs.start();
});
afterAll(async () => {
  await jobs?.close();
  await database?.close();
  await fcm?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A wallet with a phone, and the pushes the phone received. */
async function wallet() {
  const { address } = newWallet();
  const token = `token-of-${address}`;
  await subscriptions.put(address, 'ses', { service: 'fcm', token });
  const received = () => fcm.received.filter((each) => each.token === token).map(({ data }) => data);
  return { address, received };
}

const prefixes = {
  call: 'call',
  message: 'msg',
  voicemail: 'vm',
  conferenceInvite: 'room',
  group: 'grp',
} as const;
const offerOf = (to: Address, kind: PushKind): Offer => ({
  wallet: to,
  kind,
  subject: newId(prefixes[kind]),
  from,
});
const offer = (...offers: Offer[]) => pushes.offer(database.db, ...offers);

it('applies the preference of each kind to many offers in one statement', async () => {
  const { address, received } = await wallet();
  const other = await wallet();
  await preferences.set(address, { messages: false, conferenceInvites: false });
  const kinds = ['call', 'message', 'voicemail', 'conferenceInvite', 'group'] as const;
  const offers = kinds.map((kind) => offerOf(address, kind));
  const last = offerOf(other.address, 'message');
  await offer(...offers, last);
  await until(() => received().length >= 2 && other.received().length === 1, 'pushes');
  const receivedKinds = received().map(({ kind }) => kind);
  expect(receivedKinds.sort()).toEqual(['call', 'voicemail']);
  const [message] = other.received();
  const { at, ...content } = message ?? {};
  expect(content).toEqual({ version: '1', kind: 'message', id: last.subject, sender: from, to: other.address });
  expect(at).toMatch(/^\d{4}-/);
});

it('sends no push for an offer that is rolled back or already seen', async () => {
  const { address, received } = await wallet();
  const rolledBack = database.db.transaction(async (tx) => {
    await pushes.offer(tx, offerOf(address, 'message'));
    throw new Error('changed my mind');
  });
  await expect(rolledBack).rejects.toThrow('changed my mind');
  await database.db.transaction(async (tx) => {
    const seen = offerOf(address, 'message');
    await pushes.offer(tx, seen);
    await pushes.seen(tx, seen);
  });
  const sent = offerOf(address, 'voicemail');
  await offer(sent);
  await until(() => received().length > 0, 'a push');
  expect(received().map(({ id }) => id)).toEqual([sent.subject]);
});

it('uses one collapse key for the messages of a sender, and one per call', async () => {
  const { address, received } = await wallet();
  const keys = () =>
    fcm.received.filter(({ data }) => data.to === address).map((each) => each.android.collapse_key);
  await offer(offerOf(address, 'message'), offerOf(address, 'message'));
  await until(() => received().length === 2, 'two messages');
  expect(new Set(keys()).size).toBe(1);
  await offer(offerOf(address, 'call'), offerOf(address, 'call'));
  await until(() => received().length === 4, 'two calls');
  expect(new Set(keys()).size).toBe(3);
});

it('does not send an expired offer', async () => {
  const { address, received } = await wallet();
  await offer({ ...offerOf(address, 'call'), expiresAt: new Date(Date.now() - 1) });
  await offer(offerOf(address, 'message'));
  await until(() => received().length > 0, 'a push');
  expect(received().map(({ kind }) => kind)).toEqual(['message']);
});

it('runs other jobs while a push service hangs, and sends all pushes once it answers', async () => {
  const { address, received } = await wallet();
  let release = () => {};
  fcm.hold = new Promise<void>((resolve) => (release = resolve));
  const before = received().length;
  await offer(...Array.from({ length: 250 }, () => offerOf(address, 'message')));
  await until(() => received().length >= before + 64, 'pushes in progress');
  const { db } = database;
  await jobs.set(db, 'test.deadline', 'now', new Date());
  await until(async () => !(await jobs.find(db, 'test.deadline', 'now')), 'the other job', 3_000);
  release();
  fcm.hold = null;
  await until(() => received().length === 250, 'all of them');
  expect(new Set(received().map(({ id }) => id)).size).toBe(250);
});
