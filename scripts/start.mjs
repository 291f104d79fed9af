// `npm start`: set-up and server in one process, so that a signal reaches the server itself.
import process from 'node:process';
import { setUpOrExit } from './setup.mjs';

// These two need the program alone: no media worker, no pages.
const isQuestion = process.argv.includes('--help') || process.argv.includes('--check');
await setUpOrExit(isQuestion ? 'help' : 'start');

// Set-up has just built it, from server/main.ts.
await import(new URL('../server/dist/main.js', import.meta.url).href);
