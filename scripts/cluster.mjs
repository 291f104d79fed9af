// `npm run cluster`: several nodes with all they share, on this machine. It is what compose.yaml starts, without containers.
import process from 'node:process';
import { setUpOrExit } from './setup.mjs';

await setUpOrExit('cluster');
// What runs here is for trying out; the nodes of a production are started one by one.
process.env.NODE_ENV = 'development';

// tsx is one of the packages that set-up has just installed.
const { register } = await import('tsx/esm/api');
register();
await import('./cluster/main.ts');
