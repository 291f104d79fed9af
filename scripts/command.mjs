// `npm run backup`, `npm run grant` and others: commands that are built together with the server.
import process from 'node:process';
import { setUpOrExit } from './setup.mjs';

const [name] = process.argv.splice(2, 1);
await setUpOrExit('help');

await import(new URL(`../server/dist/${name}.js`, import.meta.url).href);
