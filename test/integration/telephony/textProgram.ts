import { argv, stdout } from 'node:process';
import { ScriptedCarrier } from './ScriptedCarrier.ts';
import { startSpendingServer } from '../money/spendingServer.ts';

/*
 * A server that a test kills while it submits texts. It prints its URL and then the text of each submission. A text that hangs does so
 * for longer than the test needs.
 */

const [, , dataDir = '', file = ''] = argv;
const carrier = new ScriptedCarrier(file, undefined, (text) => stdout.write(`given ${text}\n`));
void startSpendingServer({ dataDir, carrier, settings: { SMS_SUBMIT_SECONDS: '15' } }).then(({ url }) =>
  stdout.write(`${url}\n`),
);
