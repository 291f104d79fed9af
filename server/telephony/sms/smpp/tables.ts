import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../../../../platform/database/columns.ts';

/**
 * Parts of inbound concatenated texts whose other parts have not arrived yet. They are stored because they were acknowledged, so the SMSC
 * will not deliver them again.
 */
export const smppInboundParts = pgTable(
  'smpp_inbound_parts',
  {
    sender: text().notNull(),
    recipient: text().notNull(),
    /** The reference that the parts of a text share. It has only 8 or 16 bits, so it is soon used again for another text. */
    reference: integer().notNull(),
    total: integer().notNull(),
    part: integer().notNull(),
    /** An id that all parts of one text share. It becomes the reference of the complete text. */
    textId: uuid('text_id').notNull(),
    /** Base64 of UTF-16, because a part may end inside a surrogate pair, which a text column cannot store. */
    units: text().notNull(),
    receivedAt: moment('received_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.sender, table.recipient, table.reference, table.total, table.part] }),
    index('smpp_inbound_parts_received_idx').on(table.receivedAt),
  ],
);

/**
 * Recent inbound texts, and parts of texts. SMPP gives them no id. If one is delivered again over another connection because its acknowledgement was lost,
 * it is recognised by its digest.
 */
export const smppInboundTexts = pgTable(
  'smpp_inbound_texts',
  {
    /** The reference of the text or part. */
    id: uuid().primaryKey(),
    digest: text().notNull(),
    /** The connection that delivered it. */
    connection: uuid().notNull(),
    receivedAt: moment('received_at').notNull().defaultNow(),
  },
  (table) => [
    index('smpp_inbound_texts_digest_idx').on(table.digest, table.receivedAt),
    index('smpp_inbound_texts_received_idx').on(table.receivedAt),
  ],
);
