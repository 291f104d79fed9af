import { argv, stdout } from 'node:process';
import { startSpendingServer } from './spendingServer.ts';

/* The program a test kills in the middle of a purchase: it prints its address, then `running` when a purchase is under way. */

const [, , dataDir = ''] = argv;
const { url } = await startSpendingServer({
  dataDir,
  isSingleNode: true,
  // Nobody waits for it: the next server knows that this one is dead.
  settings: { REQUEST_LEASE_SECONDS: '600' },
  carryOut: async ({ what }) => {
    stdout.write(`running ${what}\n`);
    return new Promise(() => {});
  },
});
stdout.write(`${url}\n`);
