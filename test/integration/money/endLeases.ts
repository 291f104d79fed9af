import type { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from './accountSupport.ts';

/** Ends the leases of all running requests, as if their node had been declared dead, and waits until their credits are settled. */
export async function endLeases(server: Pick<ServerProcess, 'dataDir'>): Promise<void> {
  await queryDatabase(server, `UPDATE due SET due_at = now() WHERE kind = 'reservation'`);
  await until(
    async () =>
      (await queryDatabase(server, `SELECT 1 FROM reservations WHERE status = 'held'`)).length === 0,
    'the reservations are settled',
  );
  await queryDatabase(
    server,
    `UPDATE idempotency_keys SET lease_until = now() - interval '1 second', node_id = NULL WHERE status IS NULL`,
  );
}
