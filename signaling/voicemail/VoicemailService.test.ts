import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, type OpenDatabase } from '../../platform/database/database.ts';
import { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import { copyDatabaseTemplate } from '../../test/harness/nodes/databaseTemplate.ts';
import { silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { until } from '../../test/harness/until.ts';
import { newWallet } from '../../test/integration/support.ts';
import { deferred, type Deferred } from '../../test/load/deferred.ts';
import { BlockList } from '../calls/BlockList.ts';
import { EventLog } from '../events/EventLog.ts';
import type { Pushes } from '../notifications/Pushes.ts';
import type { RecipientLimit } from '../RecipientLimit.ts';
import type { Notifier } from '../socket/Notifier.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import type { SpokenFiles } from './SpokenFiles.ts';
import { Transcriptions } from './Transcriptions.ts';
import { VoicemailService } from './VoicemailService.ts';
import { VoicemailStore } from './VoicemailStore.ts';

/* With ffmpeg, a test cannot control which of two conversions of a recording ends first, and how. */

let folder: string;
let database: OpenDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-voicemail-'));
  await copyDatabaseTemplate(folder);
  database = await openDatabase({ dataDir: folder, logger: silent });
});
afterAll(async () => {
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

/** The rules of voicemail on a database. The test ends the conversions, in the order in which they began. */
function openVoicemail({ hasStorage = true } = {}) {
  const { db } = database;
  const conversions: Deferred<number>[] = [];
  const discarded: string[] = [];
  const spokenFiles = {
    attach: () => Promise.resolve(),
    discard: (_tx: unknown, fileId: string) => Promise.resolve(void discarded.push(fileId)),
    opusUrlOf: () => '',
    toOpus() {
      const conversion = deferred<number>();
      conversions.push(conversion);
      return conversion.promise;
    },
  } as unknown as SpokenFiles;
  const store = new VoicemailStore(db, { id: newId('node'), stillAlive: sql`true` }, silent);
  const jobs = new ScheduledJobs(db, silent);
  const notifier = { toWallet() {} } as unknown as Notifier;
  const events = new EventLog({ db, notifier, jobs, log: silent, keepDays: 30 });
  const voicemail = new VoicemailService({
    store,
    spokenFiles: hasStorage ? spokenFiles : null,
    transcriptions: new Transcriptions(store, null),
    blockList: new BlockList(db),
    limits: {
      perSender: { consume: () => Promise.resolve() },
      perRecipient: { consume: () => Promise.resolve(true) } as unknown as RecipientLimit,
    },
    jobs,
    events,
    pushes: { describe() {}, offer: () => Promise.resolve() } as unknown as Pushes,
    log: silent,
  });
  return { voicemail, events, conversions, discarded };
}

it('keeps a voicemail that one of two conversions at the same time refuses', async () => {
  const { voicemail, conversions, discarded } = openVoicemail();
  const [alice, bob] = [newWallet().address, newWallet().address];
  const context = { wallet: alice } as RequestContext;
  const request = { id: newId('vm'), mediaId: newId('med'), to: bob, maxDuration: 120 };
  const first = voicemail.record(context, request);
  await until(() => conversions.length === 1, 'the first conversion');
  // The SDK repeats its request on a new connection.
  const second = voicemail.record(context, request);
  await until(() => conversions.length === 2, 'the second conversion');
  conversions[0]?.resolve(3);
  expect(await first).toMatchObject({ id: request.id, duration: 3 });
  // Its ffmpeg was killed.
  conversions[1]?.reject(new ParleyError('VALIDATION_ERROR', 'This file cannot be read.'));
  expect(await second).toMatchObject({ id: request.id, duration: 3 });
  const query = { limit: 50, offset: 0, unreadOnly: false };
  expect(await voicemail.list({ wallet: bob } as RequestContext, query)).toMatchObject([{ id: request.id }]);
  expect(discarded).toEqual([]);
});

it('forgets a voicemail that cannot be converted', async () => {
  const { voicemail, conversions, discarded } = openVoicemail();
  const request = { id: newId('vm'), mediaId: newId('med'), to: newWallet().address, maxDuration: 120 };
  const recorded = voicemail.record({ wallet: newWallet().address } as RequestContext, request);
  await until(() => conversions.length === 1, 'the conversion');
  conversions[0]?.reject(new ParleyError('VALIDATION_ERROR', 'This file cannot be read.'));
  await expect(recorded).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(discarded).toEqual([request.mediaId]);
});

it('leaves out the events of voicemails on a server that has lost its file storage, and no others', async () => {
  const [before, after] = [openVoicemail(), openVoicemail({ hasStorage: false })];
  const [alice, bob] = [newWallet().address, newWallet().address];
  const request = { id: newId('vm'), mediaId: newId('med'), to: bob, maxDuration: 120 };
  const recorded = before.voicemail.record({ wallet: alice } as RequestContext, request);
  await until(() => before.conversions.length === 1, 'the conversion');
  before.conversions[0]?.resolve(3);
  await recorded;
  const event = { sequence: 1, event: 'voicemail:received' };
  expect(await before.events.read(bob, 0)).toMatchObject({
    events: [{ ...event, payload: { id: request.id } }],
  });
  const shown = { events: [{ ...event, payload: null }], latest: 1, isLost: false };
  expect(await after.events.read(bob, 0)).toEqual(shown);
});
