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
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';
import { FcmServer } from '../../harness/services/FcmServer.ts';
import { measureUntil } from '../../harness/measureUntil.ts';
import { newWallet } from '../support.ts';

const people = { nameFor: () => Promise.resolve(null) };

/*
 * A server without Redis is the only user of its database. It checks for scheduled jobs when the next one is due, or after five seconds if
 * it has none. Pushes are scheduled by separate statements and must not wait for that check.
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

/** A server that has checked and found no job, and a wallet with a phone and the pushes it received. */
async function idleServer() {
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
    people,
    log,
  });
  const bob = newWallet().address;
  const token = `token-of-${bob}`;
  await subscriptions.put(bob, 'ses', { service: 'fcm', token });
  jobs.start();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const received = () => fcm.received.filter((each) => each.token === token).map(({ data }) => data);
  return { db, pushes, writer: new MessageWriter({ db, pool, jobs }), bob, received };
}

/** Expects the push within two seconds, well before an idle server's next regular check. */
async function expectSoon(begin: () => Promise<unknown>, isReceived: () => boolean): Promise<void> {
  const soonMs = 2_000;
  const ms = await measureUntil(
    () => void begin(),
    () => Promise.resolve(isReceived()),
    'a push',
    30_000,
  );
  expect(ms).toBeLessThan(soonMs);
}

const callTo = (wallet: Address): Offered => ({ wallet, kind: 'call', subject: newId('call') });

it('sends a push for a call, and for its end, without delay', async () => {
  const { db, pushes, bob, received } = await idleServer();
  const call = callTo(bob);
  await expectSoon(
    () => pushes.offer(db, { ...call, from: alice }),
    () => received().length === 1,
  );
  // Wait until the job of the call has been removed and the server is idle again.
  await new Promise((resolve) => setTimeout(resolve, 9_500));
  await expectSoon(
    () => pushes.over(db, call, 'missed'),
    () => received().at(-1)?.outcome === 'missed',
  );
});

it('sends a push for a message without delay', async () => {
  const { writer, bob, received } = await idleServer();
  const message = { conversation: conversationId(alice, bob), type: 'text', content: 'Hello' } as const;
  await expectSoon(
    () =>
      writer.store({
        ...message,
        id: newId('msg'),
        sender: alice,
        recipient: bob,
        mediaId: null,
        replyTo: null,
      }),
    () => received().length === 1,
  );
});
