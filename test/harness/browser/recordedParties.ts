import { queryDatabase } from '../../integration/money/accountSupport.ts';
import type { ServerProcess } from '../nodes/ServerProcess.ts';

/** The number of parties of whom the recordings in progress already have a few seconds. A shorter recording may contain nothing. */
export async function recordedParties(server: ServerProcess): Promise<number> {
  const enough = `SELECT DISTINCT p.wallet FROM recording_parts p JOIN recordings r ON r.id = p.recording_id
    WHERE r.status = 'recording' AND p.bytes > 15000`;
  return (await queryDatabase(server, enough)).length;
}
