import { argv, stdout } from 'node:process';
import { startVerificationServer } from './verificationServer.ts';

/* A server that a test kills while it sends a code. It prints its URL. */

const [, , dataDir = '', carrierUrl = ''] = argv;
const { url } = await startVerificationServer(dataDir, carrierUrl, { REQUEST_LEASE_SECONDS: '2' });
stdout.write(`${url}\n`);
