import { index, integer, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/** Parts of inbound concatenated texts that wait for the other parts. They are stored because each was acknowledged. */
export const smppInboundParts = pgTable(
  'smpp_inbound_parts',
  {
    sender: text().notNull(),
    recipient: text().notNull(),
    /** The reference that the parts share: 8 or 16 bits, soon used again for another text. */
    reference: integer().notNull(),
    total: integer().notNull(),
    part: integer().notNull(),
    /** The same for all parts of one text. It becomes the reference of the complete text. */
    textId: uuid('text_id').notNull(),
    /** Base64 of UTF-16: a part may end inside a surrogate pair, which a text column cannot hold. */
    units: text().notNull(),
    receivedAt: timestamp('received_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.sender, table.recipient, table.reference, table.total, table.part] }),
    index('smpp_inbound_parts_received_idx').on(table.receivedAt),
  ],
);

/**
 * Recent inbound texts. SMPP gives them no id. A text that is delivered again over another connection, because its acknowledgement was
 * lost, is found by this digest.
 */
export const smppInboundTexts = pgTable(
  'smpp_inbound_texts',
  {
    /** The reference of the text. */
    id: uuid().primaryKey(),
    digest: text().notNull(),
    /** The connection that delivered it. */
    connection: uuid().notNull(),
    receivedAt: timestamp('received_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
  },
  (table) => [
    index('smpp_inbound_texts_digest_idx').on(table.digest, table.receivedAt),
    index('smpp_inbound_texts_received_idx').on(table.receivedAt),
  ],
);
