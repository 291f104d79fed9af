import { index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import type { WireTransport } from '../../../sdk/protocol/media.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** Sessions of WHIP and WHEP: what a request to their address, on whichever node it arrives, has to know. */
export const webrtcSessions = pgTable(
  'webrtc_sessions',
  {
    /** SHA-256 of the id in its address, which is all it takes to end it. */
    idHash: text('id_hash').primaryKey(),
    kind: text().$type<'whip' | 'whep'>().notNull(),
    streamId: text('stream_id').notNull(),
    /** Its place in the stream's media, and the name the stream's rules know it by. */
    peerId: text('peer_id').notNull(),
    transportId: text('transport_id').notNull(),
    /** Of its present ICE session. */
    etag: text().notNull(),
    mids: text().array().notNull(),
    iceCandidates: jsonb('ice_candidates').$type<WireTransport['iceCandidates']>().notNull(),
    /** The node it began on says so every now and then: who is silent is dead. */
    seenAt: moment('seen_at').notNull().defaultNow(),
  },
  (table) => [index('webrtc_sessions_seen_idx').on(table.seenAt)],
);

export type SessionRow = typeof webrtcSessions.$inferSelect;
