import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Address } from '../../../sdk/protocol/common.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { openDatabase, type OpenDatabase } from '../../../platform/database/database.ts';
import { FcmDriver } from '../../../server/push/FcmDriver.ts';
import { PushServices } from '../../../server/push/PushServices.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { conversationId } from '../../../signaling/messages/conversationId.ts';
import { MessageWriter } from '../../../signaling/messages/MessageWriter.ts';
import { Pushes, type Offered } from '../../../signaling/notifications/Pushes.ts';
import { Subscriptions } from '../../../signaling/notifications/Subscriptions.ts';
import { copyDatabaseTemplate } from '../../harness/databaseTemplate.ts';
import { FcmServer } from '../../harness/FcmServer.ts';
import { measureUntil } from '../../harness/measureUntil.ts';
import { newWallet } from '../support.ts';

/*
 * A server without Redis has its database to itself, and looks at deadlines when the next one falls due: after five seconds where
 * it knows of none. What is to be pushed is set by statements of its own, and must not wait for that.
 */

const log = pino({ level: 'silent' });
const alice = newWallet().address;
let folder: string;
let database: OpenDatabase;
let fcm: FcmServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await copyDatabaseTemplate(folder);
  database = await openDatabase({ dataDir: folder, logger: log });
  fcm = await FcmServer.start();
});
afterAll(async () => {
  await database?.close();
  await fcm?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A server that has looked and knows of nothing; a wallet with a phone, and what the phone was told. */
async function atRest() {
  const { db, pool } = database;
  const jobs = new ScheduledJobs(db, log, { isSingleNode: true });
  onTestFinished(() => jobs.close());
  const subscriptions = new Subscriptions(db, (ids) => Promise.resolve(new Set(ids)));
  const driver = new FcmDriver({ account: fcm.serviceAccount, baseUrl: fcm.url });
  const pushes = new Pushes({
    db,
    jobs,
    sender: new PushServices({ fcm: driver }, null),
    subscriptions,
    log,
  });
  const bob = newWallet().address;
  const token = `token-of-${bob}`;
  await subscriptions.put(bob, 'ses', { service: 'fcm', token });
  jobs.start();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const told = () => fcm.received.filter((each) => each.token === token).map(({ data }) => data);
  return { db, pushes, writer: new MessageWriter({ db, pool, jobs }), bob, told };
}

/** Within two looks of half a second. */
async function isToldSoon(begin: () => Promise<unknown>, isTold: () => boolean): Promise<void> {
  const soonMs = 2_000;
  const ms = await measureUntil(
    () => void begin(),
    () => Promise.resolve(isTold()),
    'a push',
    30_000,
  );
  expect(ms).toBeLessThan(soonMs);
}

const callTo = (wallet: Address): Offered => ({ wallet, kind: 'call', subject: newId('call') });

it('of a call, and that it is over', async () => {
  const { db, pushes, bob, told } = await atRest();
  const call = callTo(bob);
  await isToldSoon(
    () => pushes.offer(db, { ...call, from: alice }),
    () => told().length === 1,
  );
  // It has forgotten the call by then, and rests again.
  await new Promise((resolve) => setTimeout(resolve, 9_500));
  await isToldSoon(
    () => pushes.over(db, call, 'missed'),
    () => told().at(-1)?.outcome === 'missed',
  );
});

it('of a message', async () => {
  const { writer, bob, told } = await atRest();
  const message = { conversation: conversationId(alice, bob), type: 'text', content: 'Hello' } as const;
  await isToldSoon(
    () => writer.store({ ...message, id: newId('msg'), sender: alice, recipient: bob, mediaId: null }),
    () => told().length === 1,
  );
});
