import { sql, type SQL } from 'drizzle-orm';
import { visibleTo } from '../../../signaling/messages/MessageStore.ts';
import type { ExportRule, Subject } from '../registry/TableData.ts';

export interface MediaRow {
  id: string;
  name: string | null;
  size: number;
}

const ownRecordings = ({ party }: Subject) =>
  sql`SELECT r.id FROM recordings r WHERE r.host = ${party} AND r.discarded_at IS NULL`;

/** The files of the person's recordings, by which the media of the archive is found. */
export const recordingFilesOf: ExportRule = {
  file: 'recordingFiles',
  rows: (subject) =>
    sql`SELECT to_jsonb(f) AS row FROM recording_files f WHERE f.recording_id IN (${ownRecordings(subject)})`,
};

/** The files that the person can see: of messages, voicemails and own recordings, and own uploads. */
export function mediaOf(subject: Subject): SQL {
  const wallet = subject.wallet ?? '0x';
  return sql`
    SELECT f.id, f.name, f.size::float8 AS size FROM files f
    WHERE f.discarded_at IS NULL AND f.object_key IS NOT NULL AND f.id IN (
      SELECT o.id FROM files o WHERE o.wallet = ${wallet}
      UNION SELECT m.media_id FROM conversation_members c JOIN wallet_messages m ON m.conversation = c.conversation
        WHERE c.wallet = ${wallet} AND m.media_id IS NOT NULL AND m.deleted_at IS NULL AND ${visibleTo(wallet, sql`m`)}
      UNION SELECT v.file_id FROM voicemails v
        WHERE v.sender = ${wallet} OR (v.recipient = ${wallet} AND NOT v.hidden)
      UNION SELECT f.file_id FROM recording_files f WHERE f.recording_id IN (${ownRecordings(subject)}))
    ORDER BY f.created_at, f.id`;
}
