import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import type { PrivateKeyAccount } from 'viem';
import type { SessionStorage } from '../../../sdk/src/types.ts';
import { EmbeddedPostgres } from '../../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { copyDatabaseTemplate } from './databaseTemplate.ts';
import { guestsOf, type Harness } from './Harness.ts';
import { LoadBalancer } from './LoadBalancer.ts';
import { RedisServer } from './RedisServer.ts';
import { ServerProcess, type Settings } from './ServerProcess.ts';
import { TestClient } from '../clients/TestClient.ts';

export interface ClusterNode {
  /** For example `signaling 1`. */
  name: string;
  /** The values of the setting ROLES. */
  roles: string[];
  server: ServerProcess;
}

/** Several nodes that share one PostgreSQL, one Redis and one secret, behind one address. */
export interface Cluster extends Harness {
  nodes: ClusterNode[];
  /** The nodes with this role. */
  withRole(role: string): ClusterNode[];
  postgres: EmbeddedPostgres;
  redis: RedisServer;
  loadBalancer: LoadBalancer;
  /** A client of the load balancer, which reconnects to another node when it loses its own; with `node`, a client of that node only. */
  client(account?: PrivateKeyAccount, storage?: SessionStorage, node?: ClusterNode): Promise<TestClient>;
  /** The node that currently owns a room's media. */
  mediaNodeOf(roomId: string): Promise<ClusterNode>;
  /** A client that is connected to this node through the load balancer, and to another node if this one dies. */
  clientOn(node: ClusterNode, account?: PrivateKeyAccount): Promise<TestClient>;
}

/**
 * A clone in which the previous release was built. With it, the nodes named `… 1` run that release until they are restarted, as in the
 * middle of a rolling upgrade.
 */
const previousRelease = process.env.PREVIOUS_RELEASE;
const runsPreviousRelease = (name: string) => name.endsWith(' 1');

const allRoles = ['api', 'signaling', 'media'];

/** Two nodes, each with all roles. */
export const twoNodes = (settings: Settings = {}) =>
  startCluster({ 'node 1': allRoles, 'node 2': allRoles }, settings);

/** Two signalling nodes and two media nodes, so that one of each may die. */
export const splitRoles = (settings: Settings = {}) =>
  startCluster(
    {
      'signaling 1': ['api', 'signaling'],
      'signaling 2': ['api', 'signaling'],
      'media 1': ['media'],
      'media 2': ['media'],
    },
    settings,
  );

/**
 * @param plan the roles of each node, by node name
 * @param preload a library that PostgreSQL loads at its start. @default none
 */
export async function startCluster(
  plan: Record<string, string[]>,
  settings: Settings,
  preload = '',
): Promise<Cluster> {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const postgres = await startPostgres(closers, preload);
    return { ...(await compose(plan, settings, { closers, postgres })), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function compose(
  plan: Record<string, string[]>,
  settings: Settings,
  { closers, postgres }: { closers: (() => unknown)[]; postgres: EmbeddedPostgres },
): Promise<Omit<Cluster, 'close'>> {
  const redis = await RedisServer.create();
  closers.push(() => redis.dispose());

  const shared: Settings = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    SECRET_KEY: randomBytes(32).toString('hex'),
  };
  const nodes = await Promise.all(
    Object.entries(plan).map(async ([name, roles]) => ({
      name,
      roles,
      server: await ServerProcess.reserve(
        { ...shared, ROLES: roles.join(','), ...settings },
        [],
        runsPreviousRelease(name) ? previousRelease : undefined,
      ),
    })),
  );
  closers.push(() => Promise.all(nodes.map(({ server }) => server.dispose())));
  const withRole = (role: string) => nodes.filter(({ roles }) => roles.includes(role));

  const loadBalancer = await LoadBalancer.create(
    withRole('signaling').map(({ server }) => server.ports.port),
  );
  closers.push(() => loadBalancer.close());
  const addresses = {
    PUBLIC_URL: loadBalancer.url,
    ALLOWED_ORIGINS: nodes.map(({ server }) => server.url).join(','),
  };
  const isFormer = ({ name }: ClusterNode) => previousRelease !== undefined && runsPreviousRelease(name);
  // The previous release refuses a database that a newer one has changed, so its nodes start first.
  for (const some of [nodes.filter(isFormer), nodes.filter((node) => !isFormer(node))]) {
    // Wait for all of them before reporting an error, so that clean-up finds every process.
    const starts = await Promise.allSettled(some.map(({ server }) => server.start(addresses)));
    for (const start of starts) if (start.status === 'rejected') throw start.reason;
  }

  const clients: TestClient[] = [];
  closers.push(() => clients.forEach((client) => client.close()));
  const client: Cluster['client'] = async (account, storage, node) => {
    const created = await TestClient.signIn(node?.server.url ?? loadBalancer.url, account, storage);
    clients.push(created);
    return created;
  };
  const { closeGuests, ...guests } = guestsOf(() => loadBalancer.url, { connectionString: postgres.url });
  closers.push(closeGuests);
  return {
    ...guests,
    nodes,
    withRole,
    postgres,
    redis,
    loadBalancer,
    url: () => loadBalancer.url,
    client,
    mediaNodeOf: (roomId) => mediaNodeOf(roomId, postgres.url, nodes),
    async clientOn(node, account) {
      loadBalancer.pin(node.server.ports.port);
      try {
        return await client(account);
      } finally {
        loadBalancer.unpin();
      }
    },
  };
}

async function startPostgres(closers: (() => unknown)[], preload: string): Promise<EmbeddedPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-cluster-'));
  closers.push(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  // The template has the tables of the current release.
  if (previousRelease === undefined) await copyDatabaseTemplate(dataDir);
  const logger = pino({ level: 'silent' });
  const start = () => EmbeddedPostgres.start({ dataDir, logger, onLost: () => {} });
  if (preload) {
    const first = await start();
    const client = new pg.Client({ connectionString: first.url });
    await client.connect();
    await client.query(`ALTER SYSTEM SET shared_preload_libraries = ${pg.escapeLiteral(preload)}`);
    await client.end();
    await first.close();
  }
  const postgres = await start();
  closers.push(() => postgres.close());
  return postgres;
}

async function mediaNodeOf(roomId: string, url: string, nodes: ClusterNode[]): Promise<ClusterNode> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ address: string }>(
      'SELECT address FROM room_owners JOIN nodes ON nodes.id = node_id WHERE room_id = $1',
      [roomId],
    );
    const port = Number(rows[0]?.address.split(':').at(-1));
    const owner = nodes.find(({ server }) => server.ports.clusterPort === port);
    if (!owner) throw new Error(`no node owns the room ${roomId}`);
    return owner;
  } finally {
    await client.end();
  }
}
