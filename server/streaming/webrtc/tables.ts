import { index, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../../../platform/database/columns.ts';
import type { WireTransport } from '../../../sdk/protocol/media.ts';

/** WHIP and WHEP sessions, with the data that any node needs to handle a request to their URLs. */
export const webrtcSessions = pgTable(
  'webrtc_sessions',
  {
    /** SHA-256 of the id in the URL. Knowing the id is enough to end the session. */
    idHash: text('id_hash').primaryKey(),
    kind: text().$type<'whip' | 'whep'>().notNull(),
    streamId: text('stream_id').notNull(),
    /** The id of its peer in the stream's media, and of its publisher or viewer in the stream gateway. */
    peerId: text('peer_id').notNull(),
    transportId: text('transport_id').notNull(),
    /** The ETag of the present ICE session. */
    etag: text().notNull(),
    mids: text().array().notNull(),
    iceCandidates: jsonb('ice_candidates').$type<WireTransport['iceCandidates']>().notNull(),
    /** The node of the session updates this regularly. A session without updates belongs to a dead node. */
    seenAt: moment('seen_at').notNull().defaultNow(),
  },
  (table) => [index('webrtc_sessions_seen_idx').on(table.seenAt)],
);

export type SessionRow = typeof webrtcSessions.$inferSelect;
