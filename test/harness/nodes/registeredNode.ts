import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { openDatabase } from '../../../platform/database/database.ts';
import { NodeRegistry } from '../../../platform/node/NodeRegistry.ts';

/*
 * A program that only registers a node of a cluster, or with `single` a single node, which tests can freeze or kill. It prints the
 * registry's events, one per line, and exits when its standard input closes.
 */

const print = (...parts: string[]) => process.stdout.write(`${parts.join(' ')}\n`);
const [url = '', kind] = process.argv.slice(2);
const isSingle = kind === 'single';
const log = pino({ level: 'silent' });
const { db, pool } = await openDatabase({ url, dataDir: '', logger: log });
const jobs = new ScheduledJobs(db, log);
const registry = await NodeRegistry.join({
  db,
  jobs,
  log,
  roles: ['media'],
  address: isSingle ? null : 'child:1',
  pool,
  usage: () => ({ load: 0, cpu: 0 }),
  release: 'test',
});
registry.on('died', (id) => print('died', id));
registry.on('rejoined', () => print('rejoined', registry.id));
print('joined', registry.id);
createInterface(process.stdin).on('close', () => process.exit());
