import { argv, env, stdout } from 'node:process';
import { startSpendingServer } from './spendingServer.ts';

/* One of several servers on one database, or one that a test kills: it prints its address, then `running` for each purchase. */

const [, , dataDir = '', settings = '{}'] = argv;
const { url } = await startSpendingServer({
  dataDir,
  settings: JSON.parse(settings) as Record<string, string>,
  isSingleNode: env.ALONE === 'true',
  carryOut: async ({ what }) => {
    stdout.write(`running ${what}\n`);
    return env.HANG === 'true' ? new Promise(() => {}) : what;
  },
});
stdout.write(`${url}\n`);
