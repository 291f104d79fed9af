// `npm start`: runs set-up and the server in one process, so that signals reach the server.
import process from 'node:process';
import { setUpOrExit } from './setup.mjs';

// These two options need only the built server, not the media worker or the pages.
const isQuery = process.argv.includes('--help') || process.argv.includes('--check');
await setUpOrExit(isQuery ? 'help' : 'start');

// Set-up has just built this file from server/main.ts.
await import(new URL('../server/dist/main.js', import.meta.url).href);
