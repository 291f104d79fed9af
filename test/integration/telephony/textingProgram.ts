import { argv, stdout } from 'node:process';
import { ScriptedCarrier } from './ScriptedCarrier.ts';
import { startSpendingServer } from '../money/spendingServer.ts';

/*
 * The program a test kills while the carrier is being given texts: it prints its address, then the text of each submission. What hangs
 * does so for longer than the test takes to get there.
 */

const [, , dataDir = '', file = ''] = argv;
const carrier = new ScriptedCarrier(file, undefined, (text) => stdout.write(`given ${text}\n`));
const { url } = await startSpendingServer({ dataDir, carrier, settings: { SMS_SUBMIT_SECONDS: '15' } });
stdout.write(`${url}\n`);
