import { pino } from 'pino';
import type { Database } from '../../../platform/database/database.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { retentionSettings } from '../../../server/config/settings/retention.ts';
import type { DaysSetting } from '../../../server/privacy/registry/TableData.ts';
import { Retention } from '../../../server/privacy/retention/Retention.ts';

const log = pino({ level: 'silent' });

/** The retention with the default settings. @param days settings that differ */
export function testRetention(db: Database, days: Partial<Record<DaysSetting, number>> = {}): Retention {
  const byDefault = Object.entries(retentionSettings).map(([name, setting]) => [
    name,
    Number(setting.default),
  ]);
  const all = { ...(Object.fromEntries(byDefault) as Record<DaysSetting, number>), ...days };
  return new Retention({ db, jobs: new ScheduledJobs(db, log), days: all, log });
}
