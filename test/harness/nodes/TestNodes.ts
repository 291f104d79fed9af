import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { LocalMediaCluster, LocalMediaOptions } from '../../../media/cluster/LocalMediaCluster.ts';
import type { MediaCluster } from '../../../media/MediaCluster.ts';
import { openLocal } from '../media/mediaFixtures.ts';
import { closeAll, type Closer } from '../../../platform/Closer.ts';
import { openCluster } from '../../../server/compose/openCluster.ts';
import type { NodeRegistry } from '../../../platform/node/NodeRegistry.ts';
import { readConfig } from '../../../server/config/config.ts';
import type { Role } from '../../../platform/node/roles.ts';
import { openDatabase, type Database } from '../../../platform/database/database.ts';
import { EmbeddedPostgres } from '../../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { query } from './embeddedPostgres/support.ts';
import type { Keys } from '../../../platform/keys.ts';
import { loadSecrets } from '../../../platform/secrets.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { copyDatabaseTemplate } from './databaseTemplate.ts';
import { freePorts } from './ports.ts';
import { until } from '../until.ts';

const log = pino({ level: 'silent' });

/** A node without an API. It consists of its registration in the cluster and its media. */
export interface TestNode {
  readonly registry: NodeRegistry;
  readonly db: Database;
  /** The media of all nodes. Only for nodes with the signalling role. */
  readonly media: MediaCluster;
  /** This node's media. Only for nodes with the media role. */
  readonly local: LocalMediaCluster;
  /** Makes every query of this node wait, heartbeats included, as if the database did not answer. @returns a function that ends this */
  holdQueries(): Promise<() => void>;
  /** Stops the node in an orderly way. */
  close(): Promise<void>;
  /** Simulates a crash: closes its port and its database connections. Its workers run until all nodes are closed. */
  kill(): Promise<void>;
}

const secretKey = 'the same for all nodes, at least 32 characters';
let databases = 0;

/** Several nodes in this process, each with a separate connection pool, on one real PostgreSQL. */
export class TestNodes {
  readonly #url: string;
  readonly #closers: Closer[];
  /** Media options for nodes that are opened from now on. */
  mediaOptions: Partial<LocalMediaOptions> = {};

  /** @param shared a running PostgreSQL server. The nodes get a new database on it, and it keeps running when they are closed. */
  static async create(shared?: EmbeddedPostgres): Promise<TestNodes> {
    if (shared) {
      const name = `nodes_${++databases}`;
      await query(shared, `CREATE DATABASE ${name}`);
      return new TestNodes(shared.url.replace('///postgres', `///${name}`), []);
    }
    const folder = await mkdtemp(join(tmpdir(), 'parley-nodes-'));
    await copyDatabaseTemplate(folder);
    const postgres = await EmbeddedPostgres.start({ dataDir: folder, logger: log, onLost: () => {} });
    return new TestNodes(postgres.url, [
      ['folder', () => rm(folder, { recursive: true, force: true, maxRetries: 5 })],
      ['PostgreSQL', () => postgres.close()],
    ]);
  }

  private constructor(url: string, closers: Closer[]) {
    this.#url = url;
    this.#closers = closers;
  }

  async open(...roles: Role[]): Promise<TestNode> {
    const config = readConfig(
      {
        ROLES: roles.join(','),
        CLUSTER_PORT: String(await freePorts()),
        // Media does not use Redis, but a node without REDIS_URL would be a single node.
        REDIS_URL: 'redis://127.0.0.1:1',
        DATABASE_URL: 'postgresql://unused',
        SECRET_KEY: secretKey,
        NODE_ENV: 'test',
      },
      { https: false },
    );
    const database = await openDatabase({
      url: this.#url,
      dataDir: '',
      poolSize: 6,
      logger: log,
    });
    const closers: Closer[] = [['database', database.close]];
    this.#closers.push(['node', () => closeAll(closers, log)]);
    const local = roles.includes('media') ? await openLocal(this.mediaOptions) : null;
    if (local) closers.push(['media', () => local.close()]);
    const jobs = new ScheduledJobs(database.db, log);
    const secrets = await loadSecrets(config);
    const { registry, media } = await openCluster({
      urgent: database.db,
      config,
      db: database.db,
      pool: database.pool,
      jobs,
      secrets,
      local,
      turn: null,
      closers,
      log,
    });
    return {
      registry,
      db: database.db,
      // The cast is safe for nodes with the role; tests of other nodes fail immediately.
      media: media as MediaCluster,
      local: local as LocalMediaCluster,
      async holdQueries() {
        const { pool } = database;
        const all = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
        return () => all.forEach((connection) => connection.release());
      },
      close: () => closeAll(closers, log),
      async kill() {
        await database.close();
        await closers.find(([part]) => part === 'links from other nodes')?.[1]();
      },
    };
  }

  /** The keys of the media links. */
  async linkKeys(): Promise<Keys> {
    const secrets = await loadSecrets({ SECRET_KEY: secretKey, DATA_DIR: '' });
    return secrets.keys('links between nodes');
  }

  /** Waits until each of these nodes sees exactly the others. */
  async waitForEachOther(...nodes: TestNode[]): Promise<void> {
    const ids = nodes.map(({ registry }) => registry.id).sort();
    for (const { registry } of nodes) {
      await until(async () => {
        await registry.refresh();
        return (
          registry.living
            .map(({ id }) => id)
            .sort()
            .join() === ids.join()
        );
      }, 'the nodes see each other');
    }
  }

  close(): Promise<void> {
    return closeAll(this.#closers, log);
  }
}
