import { bigint, index, pgSequence, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';
import { sql } from 'drizzle-orm';

/** All rooms share one sequence of epochs, so that a room that is closed and opened again gets a higher epoch. */
export const roomEpochs = pgSequence('room_epochs');

/** The owner of each room. */
export const roomOwners = pgTable(
  'room_owners',
  {
    roomId: text('room_id').primaryKey(),
    nodeId: text('node_id').notNull(),
    /** Increases when the room moves. Media nodes refuse requests with a lower epoch. */
    epoch: bigint({ mode: 'number' })
      .notNull()
      .default(sql`nextval('room_epochs')`),
    claimedAt: moment('claimed_at').notNull().defaultNow(),
  },
  (table) => [index('room_owners_node_idx').on(table.nodeId)],
);
