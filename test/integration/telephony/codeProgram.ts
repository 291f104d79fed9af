import { argv, stdout } from 'node:process';
import { startCodeServer } from './codeServer.ts';

/* The program a test kills while a code is on its way: it prints its address. */

const [, , dataDir = '', carrierUrl = ''] = argv;
const { url } = await startCodeServer(dataDir, carrierUrl, { REQUEST_LEASE_SECONDS: '2' });
stdout.write(`${url}\n`);
