import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { NodeRegistry } from '../../platform/node/NodeRegistry.ts';

/*
 * A node that is nothing but its place among the others, in a process of its own that tests can freeze. It says what it sees,
 * one line each; it ends with its standard input.
 */

const say = (...words: string[]) => process.stdout.write(`${words.join(' ')}\n`);
const log = pino({ level: 'silent' });
const { db } = await openDatabase({ url: process.argv[2] ?? '', dataDir: '', logger: log });
const jobs = new ScheduledJobs(db, log);
const registry = await NodeRegistry.join({
  db,
  jobs,
  log,
  roles: ['media'],
  address: 'child:1',
  load: () => 0,
});
registry.on('died', (id) => say('died', id));
registry.on('rejoined', () => say('rejoined', registry.id));
say('joined', registry.id);
createInterface(process.stdin).on('close', () => process.exit());
