import type pg from 'pg';

/**
 * Whether a pooler is before PostgreSQL that gives its connections to clients for one transaction at a time, as PgBouncer does with
 * `pool_mode = transaction`. What a client sets or locks for its session is then lost, or holds for others.
 * @param clients two connections to the same address
 */
export async function sharesSessions([one, other]: [pg.Client, pg.Client]): Promise<boolean> {
  const first = await backendOf(one);
  // The other client gets the connection that has just become idle, or the first one gets another the next time.
  if ((await backendOf(other)) === first) return true;
  for (let asked = 0; asked < 3; asked++) if ((await backendOf(one)) !== first) return true;
  return false;
}

async function backendOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid;
}

export const sessionsNeeded =
  'PgBouncer, or another pooler at this address, shares connections between transactions (pool_mode = transaction), and Parley needs ' +
  'sessions. Give the address of PostgreSQL itself, or of a pooler with pool_mode = session';
