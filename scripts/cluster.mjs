// `npm run cluster`: runs two nodes and their shared services on this machine, like compose.yaml but without containers.
import process from 'node:process';
import { setUpOrExit } from './setup.mjs';

const usage = `Usage: npm run cluster

Runs two nodes with PostgreSQL and Redis on this machine, to try a cluster out. Ctrl+C stops everything.

  PORT           the first node's pages and WebSockets (3000). The second node has 10 more
  MEDIA_PORT     the first node's first media port (20000). The second node has 1,000 more
  CLUSTER_PORT   the port between nodes (3900). Redis and TURN have ports up to 40 above it
  RTMP_PORT      the first node's RTMP port (1935); 0 for none. The second node has 10 more
  MEDIA_WORKERS  the media workers of each node (the nodes share the CPU cores)
  DATA_DIR       a folder. The cluster's data is in its folder cluster (/var/lib/parley-cluster or ./data/cluster)
`;

if (process.argv.length > 2) {
  const [, , option] = process.argv;
  if (option === '--help') process.stdout.write(usage);
  else process.stderr.write(`${option}: unknown option\n\n${usage}`);
  process.exit(option === '--help' ? 0 : 1);
}
await setUpOrExit('cluster');
// This cluster is only for trying things out. In production, each node is started separately.
process.env.NODE_ENV = 'development';

// Imported only after set-up, which may have just installed tsx.
const { register } = await import('tsx/esm/api');
register();
await import('./cluster/main.ts');
