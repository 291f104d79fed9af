import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { openDatabase } from '../../../platform/database/database.ts';
import { NodeRegistry } from '../../../platform/node/NodeRegistry.ts';

/*
 * A program that only registers a node in the cluster, which tests can freeze. It prints the registry's events, one per line, and
 * exits when its standard input closes.
 */

const print = (...parts: string[]) => process.stdout.write(`${parts.join(' ')}\n`);
const log = pino({ level: 'silent' });
const { db } = await openDatabase({ url: process.argv[2] ?? '', dataDir: '', logger: log });
const jobs = new ScheduledJobs(db, log);
const registry = await NodeRegistry.join({
  db,
  jobs,
  log,
  roles: ['media'],
  address: 'child:1',
  usage: () => ({ load: 0, cpu: 0 }),
  release: 'test',
});
registry.on('died', (id) => print('died', id));
registry.on('rejoined', () => print('rejoined', registry.id));
print('joined', registry.id);
createInterface(process.stdin).on('close', () => process.exit());
