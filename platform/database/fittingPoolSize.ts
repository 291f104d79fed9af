import { hostname } from 'node:os';
import type pg from 'pg';
import type { Logger } from 'pino';

/** A server gets by on so few, slowly. */
const fewest = 4;
const mark = 'parley @';

/**
 * How many connections a pool may open, so that all of PostgreSQL's clients find one: as many as are wanted, or this node's share of what
 * there is room for. Of what isn't Parley's, what is open now counts; other nodes take as many as this one.
 * @param beside what this node opens besides
 */
export async function fittingPoolSize(
  client: pg.Client,
  wanted: number,
  beside: number,
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
        WHERE application_name LIKE '${mark}%') AS nodes`);
  const [found] = rows;
  if (!found) return wanted;
  const { allowed, limited, others, nodes } = found;
  const room = Math.min(allowed - Math.max(others, 0), limited ?? Infinity);
  const share = Math.floor(room / (nodes + 1));
  if (share >= wanted + beside) return wanted;
  const size = Math.min(wanted, Math.max(fewest, share - beside));
  logger.warn(
    { allowed: Math.min(allowed, limited ?? Infinity), others, otherNodes: nodes, pool: size },
    `PostgreSQL has too few connections: this node uses ${size + beside} and wants ${wanted + beside}. ` +
      `Set max_connections (or the CONNECTION LIMIT of its user and database) to at least ${wanted + beside} for each node, ` +
      'and as many as other programs use, and restart',
  );
  return size;
}

/** What PostgreSQL shows this process's connections as: each node has a name of its own. */
export const connectionName = `${mark}${hostname().slice(0, 40)}:${process.pid}`;
