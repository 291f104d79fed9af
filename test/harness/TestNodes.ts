import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { LocalMediaCluster, LocalMediaOptions } from '../../media/cluster/LocalMediaCluster.ts';
import type { MediaCluster } from '../../media/MediaCluster.ts';
import { openLocal } from './mediaWorld.ts';
import { closeAll, type Closer } from '../../platform/Closer.ts';
import { openCluster } from '../../server/compose/openCluster.ts';
import type { NodeRegistry } from '../../platform/node/NodeRegistry.ts';
import { readConfig } from '../../server/config/config.ts';
import type { Role } from '../../platform/node/roles.ts';
import { openDatabase, type Database } from '../../platform/database/database.ts';
import { EmbeddedPostgres } from '../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { query } from './embeddedPostgres/support.ts';
import { loadSecrets } from '../../platform/secrets.ts';
import { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { layDatabase } from './databaseTemplate.ts';
import { freePorts } from './ports.ts';
import { until } from './until.ts';

const log = pino({ level: 'silent' });

/** A node without its API: its place among the others, and the media as it reaches them. */
export interface TestNode {
  readonly registry: NodeRegistry;
  readonly db: Database;
  /** The media of all, where this node has signalling. */
  readonly media: MediaCluster;
  /** Its own media, where it has any. */
  readonly local: LocalMediaCluster;
  /** It takes leave of the others. */
  close(): Promise<void>;
  /** Its end without a word: its port is closed, its database is cut off. Its workers run until the nodes are closed. */
  kill(): Promise<void>;
}

const secretKey = 'the same for all nodes, at least 32 characters';
let databases = 0;

/** Several nodes in this process, each with a pool of its own, on one real PostgreSQL. */
export class TestNodes {
  readonly #url: string;
  readonly #closers: Closer[];
  /** How the media of nodes that are opened from now on differs. */
  mediaOptions: Partial<LocalMediaOptions> = {};

  /** @param shared a server that runs already: then the nodes get a database of their own on it, and leave it running */
  static async create(shared?: EmbeddedPostgres): Promise<TestNodes> {
    if (shared) {
      const name = `nodes_${++databases}`;
      await query(shared, `CREATE DATABASE ${name}`);
      return new TestNodes(shared.url.replace('///postgres', `///${name}`), []);
    }
    const folder = await mkdtemp(join(tmpdir(), 'parley-nodes-'));
    await layDatabase(folder);
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
        // Media and its owners need none; with one, a node is not alone.
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
      jobs,
      secrets,
      local,
      closers,
      log,
    });
    return {
      registry,
      db: database.db,
      // Who asks a node for what its roles don't give finds out at once.
      media: media as MediaCluster,
      local: local as LocalMediaCluster,
      close: () => closeAll(closers, log),
      async kill() {
        await database.close();
        await closers.find(([part]) => part === 'links from other nodes')?.[1]();
      },
    };
  }

  /** What nodes link to each other with. */
  async linkKey(): Promise<Buffer> {
    const secrets = await loadSecrets({ SECRET_KEY: secretKey, DATA_DIR: '' });
    return secrets.derive('links between nodes');
  }

  /** Each of these sees all the others, and nobody else. */
  async meet(...nodes: TestNode[]): Promise<void> {
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
