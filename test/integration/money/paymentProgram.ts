import { argv, env, stdout } from 'node:process';
import { startSpendingServer } from './spendingServer.ts';

/* A server process that shares a database with others or is killed by a test. It prints its address, then `running` for each purchase. */

const [, , dataDir = '', settings = '{}'] = argv;
void startSpendingServer({
  dataDir,
  settings: JSON.parse(settings) as Record<string, string>,
  isSingleNode: env.SINGLE_NODE === 'true',
  handle: async ({ item }) => {
    stdout.write(`running ${item}\n`);
    return env.HANG === 'true' ? new Promise(() => {}) : item;
  },
}).then(({ url }) => stdout.write(`${url}\n`));
