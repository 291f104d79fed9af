import { argv, stdout } from 'node:process';
import { startVerificationServer } from './verificationServer.ts';

/* A server that a test kills while it sends a code. It prints its URL, and then each text that the carrier gets. */

const [, , dataDir = ''] = argv;
void startVerificationServer(dataDir, (text, to) => stdout.write(`given ${to} ${text}\n`)).then(({ url }) =>
  stdout.write(`${url}\n`),
);
