import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../../../platform/database/database.ts';
import { ScheduledJobs } from '../../../../platform/jobs/ScheduledJobs.ts';
import { newId } from '../../../../sdk/protocol/ids.ts';
import { CleanUp, silent } from '../../../../test/harness/nodes/embeddedPostgres/support.ts';
import { openTestDatabase } from '../../../../test/harness/nodes/openTestDatabase.ts';
import { NumberCatalogue } from '../../numbers/NumberCatalogue.ts';
import { SmppCarrier } from './SmppCarrier.ts';
import { smscAddress } from './smscAddress.ts';

const cleanUp = new CleanUp();
const phoneNumber = '+447400123456';
const query = { country: 'GB', type: 'mobile', areaCode: null, phoneNumber, limit: 1 } as const;
let database: OpenDatabase;

beforeAll(async () => {
  database = await openTestDatabase(cleanUp);
});
afterAll(() => cleanUp.run());

/** The market of a server with these SMPP_NUMBERS. */
function marketWith(numbers: string[]) {
  const { db } = database;
  const smsc = smscAddress('smpp://user:password@127.0.0.1:1', '');
  const given = { bind: 'transceiver', window: 1, enquireMs: 1_000, submitMs: 1_000, pool: [] } as const;
  const jobs = new ScheduledJobs(db, silent);
  return new SmppCarrier({ db, jobs, log: silent, smsc, numbers, ...given }).market;
}

it('sells a number again that was released while the bind had no numbers', async () => {
  const offer = { ...query, capabilities: { sms: true, mms: false, voice: false }, region: null };
  const search = () => marketWith([phoneNumber]).search({ ...query, capabilities: [] });
  const { reference } = await marketWith([phoneNumber]).buy({ ...offer, orderId: newId('ord') });
  expect(await search()).toEqual([]);
  await marketWith([]).release({ phoneNumber, reference });
  expect(await search()).toMatchObject([{ phoneNumber }]);
  await marketWith([phoneNumber]).buy({ ...offer, orderId: newId('ord') });
});

it('sells nothing while the bind has no numbers', async () => {
  const catalogue = new NumberCatalogue(marketWith([]));
  await expect(catalogue.available({ country: 'GB' })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});
