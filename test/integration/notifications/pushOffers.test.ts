import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Address } from '../../../sdk/protocol/common.ts';
import type { PushKind } from '../../../sdk/protocol/notifications.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { openDatabase, type OpenDatabase } from '../../../platform/database/database.ts';
import { OutsideClient } from '../../../server/outgoing/OutsideClient.ts';
import { FcmDriver } from '../../../server/push/FcmDriver.ts';
import { vapidKeys } from '../../../server/push/vapidKeys.ts';
import { WebPushDriver } from '../../../server/push/WebPushDriver.ts';
import { loadSecrets } from '../../../platform/secrets.ts';
import type { PushDriver } from '../../../server/push/PushDriver.ts';
import { PushServices } from '../../../server/push/PushServices.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { Preferences } from '../../../signaling/notifications/Preferences.ts';
import { Pushes, type Offer } from '../../../signaling/notifications/Pushes.ts';
import {
  markSending,
  noteSent,
  subjectOf,
  type PushTask,
} from '../../../signaling/notifications/PushRows.ts';
import type { Push } from '../../../signaling/notifications/PushSender.ts';
import { Subscriptions } from '../../../signaling/notifications/Subscriptions.ts';
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';
import { PushKeys } from '../../harness/services/decryptPush.ts';
import { FcmServer, fcmError } from '../../harness/services/FcmServer.ts';
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
/** What was sent by FCM. */
const byFcm: Push[] = [];
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
  const secrets = await loadSecrets({ SECRET_KEY: 'a secret of at least 32 characters', DATA_DIR: '' });
  const web = new WebPushDriver({
    keys: vapidKeys(secrets),
    subject: 'mailto:me@test.example',
    outside: new OutsideClient({ allowLoopback: true, own: new Set() }),
  });
  const fcmDriver = new FcmDriver({ account: fcm.serviceAccount, baseUrl: fcm.url });
  const recorded: PushDriver<'fcm'> = {
    send(target, push) {
      byFcm.push(push);
      return fcmDriver.send(target, push);
    },
  };
  const sender = new PushServices({ fcm: recorded, web }, null);
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
  expect(content).toEqual({
    version: '1',
    kind: 'message',
    id: last.subject,
    sender: from,
    to: other.address,
  });
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

it('uses one topic for the messages of a sender, and one per call', async () => {
  const { address, received } = await wallet();
  const keys = () => byFcm.filter(({ message }) => message.to === address).map(({ topic }) => topic);
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

it('sends the outcome of a call that is over at the moment in which its push is sent', async () => {
  const { address, received } = await wallet();
  const [device] = await subscriptions.of(address);
  const id = device?.id ?? '';
  const call = offerOf(address, 'call');
  const subject = subjectOf(address, 'call', call.subject);
  const { db } = database;
  await db.transaction(async (tx) => {
    await pushes.offer(tx, call);
    // The test makes the attempt.
    await tx.execute(sql`UPDATE due SET due_at = now() + interval '1 hour' WHERE subject = ${subject}`);
  });
  let over = Promise.resolve();
  await db.transaction(async (attempt) => {
    expect(await markSending(attempt, subject, [id])).toBe(true);
    await noteSent(attempt, subject, { [id]: 'sent' }, { attempts: 1, inSeconds: 3_600 });
    over = pushes.over(db, call, 'answered');
    over.catch(() => undefined);
    const waiting = sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until(async () => (await db.execute(waiting)).rows.length > 0, 'the end of the call waits');
  });
  await over;
  await until(() => received().length > 0, 'the outcome');
  expect(received()).toMatchObject([{ id: call.subject, outcome: 'answered' }]);
});

it('sends the outcome of a call to a device whose push service has not answered', async () => {
  const { address, received } = await wallet();
  const call = offerOf(address, 'call');
  const { db } = database;
  const job = async () =>
    (await jobs.find(db, 'push', subjectOf(address, 'call', call.subject)))?.payload as PushTask | undefined;
  fcm.answers.push({ status: 200, isLost: true });
  await offer(call);
  const isTried = async () => {
    const task = await job();
    return !task || task.attempts === 1;
  };
  await until(isTried, 'the attempt');
  await pushes.over(db, call, 'answered');
  await until(() => received().length === 2, 'the outcome');
  expect(received()[1]).toMatchObject({ id: call.subject, outcome: 'answered' });
});

it('runs other jobs while a push service hangs, and sends all pushes once it answers', async () => {
  const wallets = await Promise.all(Array.from({ length: 80 }, wallet));
  const received = () => wallets.flatMap((each) => each.received());
  let release = () => {};
  fcm.hold = new Promise<void>((resolve) => (release = resolve));
  const three = wallets.flatMap(({ address }) => [1, 2, 3].map(() => offerOf(address, 'message')));
  await offer(...three);
  await until(() => received().length >= 64, 'pushes in progress');
  const { db } = database;
  await jobs.set(db, 'test.deadline', 'now', new Date());
  await until(async () => !(await jobs.find(db, 'test.deadline', 'now')), 'the other job', 3_000);
  release();
  fcm.hold = null;
  await until(() => received().length === 240, 'all of them');
  expect(new Set(received().map(({ id }) => id)).size).toBe(240);
});

it('sends all pushes of a wallet that gets many at once', async () => {
  const { address, received } = await wallet();
  await offer(...Array.from({ length: 100 }, () => offerOf(address, 'message')));
  await until(() => received().length === 100, 'all of them');
  expect(new Set(received().map(({ id }) => id)).size).toBe(100);
});

it('gives a push up after some attempts', async () => {
  const { address, received } = await wallet();
  const offered = offerOf(address, 'message');
  const subject = `${address}/message/${offered.subject}`;
  const { db } = database;
  const answer = { status: 503, body: fcmError('UNAVAILABLE', 'UNAVAILABLE') };
  fcm.answers.push(answer, answer);
  await db.transaction(async (tx) => {
    await pushes.offer(tx, offered);
    await tx.execute(sql`UPDATE due SET payload = payload || '{"attempts": 13}' WHERE subject = ${subject}`);
  });
  const job = async () => (await jobs.find(db, 'push', subject))?.payload as { attempts: number } | undefined;
  await until(async () => (await job())?.attempts === 14, 'a failed attempt');
  await jobs.makeDue(db, 'push', { message: { id: offered.subject } });
  await until(async () => !(await job()), 'the last one');
  expect(received()).toHaveLength(2);
});

it('pauses before the next attempt when the service names no pause', async () => {
  const { address, received } = await wallet();
  const offered = offerOf(address, 'message');
  const subject = `${address}/message/${offered.subject}`;
  const { db } = database;
  const body = fcmError('UNAVAILABLE', 'UNAVAILABLE');
  fcm.answers.push({ status: 503, headers: { 'retry-after': '0' }, body });
  await db.transaction(async (tx) => {
    await pushes.offer(tx, offered);
    await tx.execute(sql`UPDATE due SET payload = payload || '{"attempts": 12}' WHERE subject = ${subject}`);
  });
  const isPaused = async () => {
    const { rows } = await db.execute(sql`
      SELECT FROM due WHERE subject = ${subject} AND payload @> '{"attempts": 13}' AND due_at > now() + interval '1 minute'`);
    return rows.length > 0 || received().length > 1;
  };
  await until(isPaused, 'the pause');
  expect(received()).toHaveLength(1);
});

it('sends the pushes of others while a device of one wallet never answers', async () => {
  const mute = await muteService();
  const attacker = newWallet().address;
  const { p256dh, auth } = new PushKeys(Buffer.alloc(16, 1));
  await subscriptions.put(attacker, 'ses', { service: 'web', endpoint: mute.url, p256dh, auth });
  const other = await wallet();
  await offer(...Array.from({ length: 300 }, () => offerOf(attacker, 'message')));
  await until(() => mute.counts.open > 0, 'a connection to it');
  await offer(offerOf(other.address, 'call'));
  // An attempt takes 8 s.
  await until(() => other.received().length === 1, 'the push of the call', 8_000);
  expect(mute.counts.most).toBeLessThanOrEqual(4);
  await until(() => mute.counts.open === 0, 'the end of the attempts');
  mute.counts.most = 0;
  const before = mute.counts.all;
  await until(() => mute.counts.all > before, 'the next attempt');
  await until(() => mute.counts.open === 0, 'its end');
  expect(mute.counts.most).toBe(1);
});

/** A push service that accepts connections and never says a word. */
async function muteService() {
  const counts = { all: 0, open: 0, most: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    counts.all++;
    counts.most = Math.max(counts.most, ++counts.open);
    sockets.add(
      socket
        .on('error', () => undefined)
        .on('close', () => counts.open--)
        .resume(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { counts, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/push` };
}
