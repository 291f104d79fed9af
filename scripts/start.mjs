// `npm start`: set-up and server in one process, so that a signal reaches the server itself.
import process from 'node:process';
import { setUpOrExit } from './setup.mjs';

await setUpOrExit(process.argv.includes('--help') ? 'help' : 'start');

// tsx is one of the packages that set-up has just installed.
const { register } = await import('tsx/esm/api');
register();
await import('../server/main.ts');
