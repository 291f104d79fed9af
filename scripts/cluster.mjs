// `npm run cluster`: runs two nodes and their shared services on this machine, like compose.yaml but without containers.
import process from 'node:process';
import { setUpOrExit } from './setup.mjs';

await setUpOrExit('cluster');
// This cluster is only for trying things out. In production, each node is started separately.
process.env.NODE_ENV = 'development';

// Imported only after set-up, which may have just installed tsx.
const { register } = await import('tsx/esm/api');
register();
await import('./cluster/main.ts');
