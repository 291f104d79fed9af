import { sql } from 'drizzle-orm';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { tidying } from '../../../signaling/recordings/RecordingMaintenance.ts';
import { discardFiles, valuesOf } from '../registry/rules.ts';

/** Deletes voicemails with their files. */
export async function removeVoicemails(
  tx: Executor,
  rows: Record<string, unknown>[],
  jobs: ScheduledJobs,
): Promise<void> {
  await tx.execute(sql`DELETE FROM voicemails WHERE id = ANY(${sql.param(valuesOf(rows, 'id'))}::text[])`);
  await discardFiles(tx, jobs, valuesOf(rows, 'file_id'));
}

/** Discards recordings with their files. Their rows are deleted with their parts, by a job. */
export async function removeRecordings(
  tx: Executor,
  rows: Record<string, unknown>[],
  jobs: ScheduledJobs,
): Promise<void> {
  const ids = valuesOf(rows, 'id');
  const which = sql`${sql.param(ids)}::text[]`;
  await tx.execute(sql`UPDATE recordings SET discarded_at = now() WHERE id = ANY(${which})`);
  const { rows: found } = await tx.execute(
    sql`SELECT file_id FROM recording_files WHERE recording_id = ANY(${which})`,
  );
  await discardFiles(tx, jobs, valuesOf(found, 'file_id'));
  await jobs.setAll(tx, tidying, ids, new Date());
}
