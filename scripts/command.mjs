// `npm run grant` and `npm run import:leaks`: programs beside the server, which set-up builds with it.
import process from 'node:process';
import { setUpOrExit } from './setup.mjs';

const [name] = process.argv.splice(2, 1);
await setUpOrExit('help');

await import(new URL(`../server/dist/${name}.js`, import.meta.url).href);
