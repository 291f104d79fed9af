import type { z } from 'zod';
import { toIso } from '../../../sdk/protocol/common.ts';
import type { numberOrder, orderStatus, ownNumber } from '../../../sdk/protocol/numbers.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { Charge } from '../../http/Route.ts';
import type { TelephonyEvents } from '../sms/TelephonyEvents.ts';
import type { NumberRow, OrderRow } from './tables.ts';

export type WireNumber = z.input<typeof ownNumber>;
export type WireNumberOrder = z.input<typeof numberOrder>;
export type WireOrderStatus = z.input<typeof orderStatus>;

/** Converts rows to the numbers that routes and webhooks show. */
export async function toNumbers(
  rows: NumberRow[],
  executor: Executor,
  events: TelephonyEvents,
): Promise<WireNumber[]> {
  const webhooks = await events.webhooksOf(
    executor,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    id: row.id,
    phoneNumber: row.phoneNumber,
    country: row.country,
    region: row.region,
    type: row.type,
    capabilities: row.capabilities,
    status: row.status,
    monthlyCredits: row.monthlyCredits,
    autoRenew: row.autoRenew,
    purchasedAt: toIso(row.purchasedAt),
    expiresAt: toIso(row.expiresAt),
    webhook: webhooks.get(row.id) ?? null,
  }));
}

export async function toNumber(
  row: NumberRow,
  executor: Executor,
  events: TelephonyEvents,
): Promise<WireNumber> {
  const [number] = await toNumbers([row], executor, events);
  if (!number) throw new Error('toNumbers() returned nothing for a row');
  return number;
}

/** @param number the bought number, once the order is completed */
export function toNumberOrder(order: OrderRow, number: WireNumber | null, charge: Charge): WireNumberOrder {
  return {
    orderId: order.id,
    status: order.status === 'completed' ? 'completed' : 'pending',
    country: order.offer.country,
    type: order.offer.type,
    phoneNumber: order.offer.phoneNumber,
    number,
    credits: order.credits,
    balance: charge.balance,
    createdAt: toIso(order.createdAt),
  };
}

/** @param number the bought number, once the order is completed */
export function toOrderStatus(order: OrderRow, number: WireNumber | null): WireOrderStatus {
  const { errorCode: code, errorMessage } = order;
  return {
    orderId: order.id,
    status: order.status,
    number,
    error: code === null ? null : { code, message: errorMessage ?? '' },
    credits: order.credits,
    createdAt: toIso(order.createdAt),
    updatedAt: toIso(order.updatedAt),
  };
}
