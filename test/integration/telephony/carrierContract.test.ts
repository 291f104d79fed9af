import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { newId } from '../../../sdk/protocol/ids.ts';
import { openDatabase } from '../../../platform/database/database.ts';
import { LoopbackCarrier } from '../../../server/telephony/sms/loopback/LoopbackCarrier.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { describeCarrier } from '../../scenarios/carrierContract.ts';
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';

const log = pino({ level: 'silent' });

describeCarrier('loopback', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await copyDatabaseTemplate(dataDir);
  const { db, close } = await openDatabase({ dataDir, logger: log });
  const jobs = new ScheduledJobs(db, log);
  const carrier = new LoopbackCarrier({ db, jobs, log });
  jobs.start();
  const [one = '', other = ''] = carrier.pool;
  return {
    carrier,
    numbers: async () => {
      const [offer] = await carrier.market.search({
        country: 'US',
        type: 'local',
        areaCode: null,
        phoneNumber: null,
        capabilities: [],
        limit: 1,
      });
      if (!offer) throw new Error('nothing is for sale');
      await carrier.market.buy({ ...offer, orderId: newId('ord') });
      return [one, offer.phoneNumber];
    },
    unassigned: other.replace(/^\+1202/, '+1303'),
    market: { country: 'GB', type: 'mobile' },
    async close() {
      await jobs.close();
      await close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
});
