import { argv, stdout } from 'node:process';
import { startSpendingServer } from './spendingServer.ts';

/* A server process that a test kills during a purchase. It prints its address, then `running` when a purchase is under way. */

const [, , dataDir = ''] = argv;
void startSpendingServer({
  dataDir,
  isSingleNode: true,
  // The next server does not wait for this lease to expire, because it knows that this server is dead.
  settings: { REQUEST_LEASE_SECONDS: '600' },
  handle: async ({ item }) => {
    stdout.write(`running ${item}\n`);
    return new Promise(() => {});
  },
}).then(({ url }) => stdout.write(`${url}\n`));
