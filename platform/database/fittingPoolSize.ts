import { hostname } from 'node:os';
import type pg from 'pg';
import type { Logger } from 'pino';

/** The minimum size of the pool. A server works with so few connections, but slowly. */
const smallestPool = 4;
/** The prefix of the connections' application_name, by which each node counts the others. */
const namePrefix = 'parley @';

/**
 * Limits a pool so that PostgreSQL has enough connections for all of its clients. Connections that other programs have open now are set
 * aside, and the rest is shared equally among the nodes.
 * @param wanted the preferred size of the pool
 * @param besides the connections this node opens outside the pool
 * @returns the size of the pool: `wanted`, or less with a warning in the log
 */
export async function fittingPoolSize(
  client: pg.Client,
  wanted: number,
  besides: number,
  logger: Logger,
): Promise<number> {
  const { rows } = await client.query<{
    allowed: number;
    limited: number | null;
    others: number;
    nodes: number;
  }>(`
    SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) AS allowed,
      least((SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
        (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())) AS limited,
      (SELECT coalesce(sum(numbackends), 0)::int FROM pg_stat_database)
        - (SELECT count(*)::int FROM pg_stat_activity WHERE application_name LIKE 'parley%') AS others,
      (SELECT count(DISTINCT application_name)::int FROM pg_stat_activity
        WHERE application_name LIKE '${namePrefix}%') AS nodes`);
  const [found] = rows;
  if (!found) return wanted;
  const { allowed, limited, others, nodes } = found;
  const room = Math.min(allowed - Math.max(others, 0), limited ?? Infinity);
  const share = Math.floor(room / (nodes + 1));
  if (share >= wanted + besides) return wanted;
  const size = Math.min(wanted, Math.max(smallestPool, share - besides));
  logger.warn(
    { allowed: Math.min(allowed, limited ?? Infinity), others, otherNodes: nodes, pool: size },
    `PostgreSQL has too few connections: this node uses ${size + besides} of the ${wanted + besides} it needs. ` +
      `Set max_connections (or the CONNECTION LIMIT of its user and database) to at least ${wanted + besides} for each node, ` +
      'plus those of other programs, and restart',
  );
  return size;
}

/** The application_name of this process's connections in PostgreSQL, unique per node. */
export const connectionName = `${namePrefix}${hostname().slice(0, 40)}:${process.pid}`;
