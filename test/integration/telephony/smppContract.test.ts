import { pino } from 'pino';
import { SmppCarrier } from '../../../server/telephony/sms/smpp/SmppCarrier.ts';
import { smscAddress } from '../../../server/telephony/sms/smpp/smscAddress.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { Smsc, smscUser } from '../../harness/services/Smsc.ts';
import { describeCarrier } from '../../scenarios/carrierContract.ts';
import { carrierNumbers, openTestDatabase, unassigned } from './smppSupport.ts';

for (const bind of ['transceiver', 'separate'] as const)
  describeCarrier(`smpp, ${bind}`, async () => {
    const { db, close } = await openTestDatabase();
    const smsc = await Smsc.start({ users: [smscUser(carrierNumbers)] });
    const log = pino({ level: 'silent' });
    const jobs = new ScheduledJobs(db, log);
    const carrier = new SmppCarrier({
      db,
      jobs,
      log,
      bind,
      smsc: smscAddress(smsc.url(), ''),
      window: 10,
      enquireMs: 30_000,
      submitMs: 20_000,
      pool: carrierNumbers.slice(0, 2),
      numbers: carrierNumbers.slice(2),
    });
    jobs.start();
    const [one = '', other = ''] = carrierNumbers;
    return {
      carrier,
      numbers: () => Promise.resolve([one, other]),
      unassigned,
      market: { country: 'GB', type: 'mobile' },
      async close() {
        await jobs.close();
        await smsc.stop();
        await close();
      },
    };
  });
