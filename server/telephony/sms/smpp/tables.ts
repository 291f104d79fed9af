import { index, integer, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/** Parts of concatenated texts that came in and wait for the others. They outlive the process: each was acknowledged. */
export const smppInboundParts = pgTable(
  'smpp_inbound_parts',
  {
    sender: text().notNull(),
    recipient: text().notNull(),
    /** What the parts of a text have in common: 8 or 16 bits, used again before long. */
    reference: integer().notNull(),
    total: integer().notNull(),
    part: integer().notNull(),
    /** The same for all parts of one text: its reference, once they are put together. */
    textId: uuid('text_id').notNull(),
    /** Base64 of UTF-16: a part may end in the middle of a surrogate pair, which no text column holds. */
    units: text().notNull(),
    receivedAt: timestamp('received_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.sender, table.recipient, table.reference, table.total, table.part] }),
    index('smpp_inbound_parts_received_idx').on(table.receivedAt),
  ],
);

/**
 * Texts that came in lately. SMPP gives them no id: one that comes again over another connection is known by this, for its
 * acknowledgement may have been lost with the first.
 */
export const smppInboundTexts = pgTable(
  'smpp_inbound_texts',
  {
    /** Its reference. */
    id: uuid().primaryKey(),
    digest: text().notNull(),
    /** The connection it came over. */
    connection: uuid().notNull(),
    receivedAt: timestamp('received_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
  },
  (table) => [
    index('smpp_inbound_texts_digest_idx').on(table.digest, table.receivedAt),
    index('smpp_inbound_texts_received_idx').on(table.receivedAt),
  ],
);
