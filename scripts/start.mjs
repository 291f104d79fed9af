// `npm start`: set-up and server in one process, so that a signal reaches the server itself.
import process from 'node:process';
import { setUpOrExit } from './setup.mjs';

await setUpOrExit(process.argv.includes('--help') ? 'help' : 'start');

// Set-up has just built it, from server/main.ts.
await import(new URL('../server/dist/main.js', import.meta.url).href);
