import { bigint, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { bytes, moment } from '../../platform/database/columns.ts';

/** `submitting`: the outcome is not known yet. The order is being submitted to the provider, or its answer was lost. */
export type EsimOrderStatus = 'submitting' | 'completed' | 'failed';

export const esimOrders = pgTable(
  'esim_orders',
  {
    id: text().primaryKey(),
    seq: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
    /** null for an x402 payer. */
    accountId: text('account_id'),
    /** The id of the reservation or payment. */
    chargeId: text('charge_id').notNull(),
    provider: text().notNull(),
    packageId: text('package_id').notNull(),
    quantity: integer().notNull(),
    credits: integer().notNull(),
    status: text().$type<EsimOrderStatus>().notNull(),
    errorCode: text('error_code'),
    errorMessage: text('error_message'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    index('esim_orders_charge_idx').on(table.chargeId),
    index('esim_orders_account_idx').on(table.accountId, table.seq),
    index('esim_orders_created_idx').on(table.createdAt),
  ],
);

/** Bought profiles. They are encrypted, because the matching id is all that is needed to install an eSIM. */
export const esimProfiles = pgTable(
  'esim_profiles',
  {
    id: text().primaryKey(),
    orderId: text('order_id')
      .notNull()
      .references(() => esimOrders.id),
    position: integer().notNull(),
    sealed: bytes().notNull(),
  },
  (table) => [uniqueIndex('esim_profiles_order_idx').on(table.orderId, table.position)],
);

export type EsimOrderRow = typeof esimOrders.$inferSelect;
