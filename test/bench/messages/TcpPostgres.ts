import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { serverAccount } from '../../../platform/embeddedPostgres/account.ts';
import { installBinaries } from '../../../platform/embeddedPostgres/binaries.ts';
import { prepareCluster } from '../../../platform/embeddedPostgres/cluster.ts';
import { prepareDataDir } from '../../../platform/embeddedPostgres/dataDir.ts';
import { GuardedServer } from '../../../platform/embeddedPostgres/GuardedServer.ts';
import { livePostmaster } from '../../../platform/embeddedPostgres/processes.ts';
import { freePorts } from '../../harness/nodes/ports.ts';
import { cpuByProcess } from '../rooms/processes.ts';

/** Parley's PostgreSQL with Parley's settings, but on a TCP port of loopback, for programs that connect to no Unix socket. */
export class TcpPostgres {
  readonly port: number;
  readonly user = 'postgres';
  readonly database = 'postgres';
  readonly pool: pg.Pool;
  readonly #folder: string;
  readonly #server: GuardedServer;
  readonly #pid: number;

  static async start(): Promise<TcpPostgres> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
    const clusterDir = join(folder, 'postgres');
    const account = await serverAccount(clusterDir);
    await prepareDataDir(folder, account);
    const { postgres, ...binaries } = await installBinaries();
    await prepareCluster(clusterDir, { postgres, ...binaries }, account);
    const port = await freePorts();
    const settings = { listen_addresses: '127.0.0.1', port: String(port) };
    const logger = pino({ level: 'silent' });
    const server = await GuardedServer.start({ postgres, clusterDir, account, logger, settings });
    return new TcpPostgres(folder, port, server, (await livePostmaster(clusterDir)) ?? 0);
  }

  private constructor(folder: string, port: number, server: GuardedServer, pid: number) {
    this.#folder = folder;
    this.port = port;
    this.#server = server;
    this.#pid = pid;
    const { user, database } = this;
    this.pool = new pg.Pool({ host: '127.0.0.1', port, user, database, max: 1 });
  }

  /** The CPU time of all its processes so far, in milliseconds. */
  cpu(): number {
    return cpuByProcess(this.#pid).reduce((sum, { ms }) => sum + ms, 0);
  }

  async dispose(): Promise<void> {
    await this.pool.end();
    await this.#server.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
