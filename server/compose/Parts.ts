import type pg from 'pg';
import type { Logger } from 'pino';
import type { Closer } from '../../platform/Closer.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { LimitFactory } from '../../platform/limits/Limits.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Chains } from '../chains/chains.ts';
import type { Config } from '../config/config.ts';

/** The parts that all others are built from. Each function of this folder takes the ones that it needs. */
export interface Parts {
  config: Config;
  db: Database;
  pool: pg.Pool;
  secrets: Secrets;
  /** Not started yet: handlers are registered here. */
  jobs: ScheduledJobs;
  chains: Chains;
  limitFactory: LimitFactory;
  /** Returns the id of this node, which changes when the node rejoins the cluster. Each running request belongs to a node. */
  nodeId: () => string;
  publicUrl: string;
  closers: Closer[];
  log: Logger;
}
