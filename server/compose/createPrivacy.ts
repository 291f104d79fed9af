import { Retention } from '../privacy/retention/Retention.ts';
import type { Parts } from './Parts.ts';

/** Creates the parts that remove, export and erase data. They run on nodes with the role api. */
export async function createPrivacy({ config, db, jobs, log }: Parts): Promise<void> {
  if (!config.ROLES.includes('api')) return;
  await new Retention({ db, jobs, days: config, log }).start();
}
