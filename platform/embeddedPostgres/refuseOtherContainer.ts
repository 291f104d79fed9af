import { connect } from 'node:net';
import { join } from 'node:path';
import { serverProcesses } from './processes.ts';

/**
 * Refuses a cluster on which PostgreSQL runs in another container of this machine. Its processes cannot be seen from here, so the lock of
 * DATA_DIR and postmaster.pid look stale, but its socket answers. A second server would damage the data.
 * @throws Error with what to do
 */
export async function refuseOtherContainer(clusterDir: string): Promise<void> {
  const socket = join(clusterDir, '.s.PGSQL.5432');
  if (!(await answers(socket))) return;
  if ((await serverProcesses(clusterDir)).length > 0) return;
  // A server of an earlier run may have answered just before its end.
  if (!(await answers(socket))) return;
  throw new Error(
    `PostgreSQL already runs on ${clusterDir}, but its processes cannot be seen from here. Is it in another container? ` +
      'Stop it, or give this Parley another DATA_DIR.',
  );
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
