import type { z } from 'zod';
import { toIso } from '../../../sdk/protocol/common.ts';
import type { ownNumber } from '../../../sdk/protocol/numbers.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { TelephonyEvents } from '../sms/TelephonyEvents.ts';
import type { NumberRow } from './tables.ts';

export type WireNumber = z.input<typeof ownNumber>;

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
    webhook: (webhooks.get(row.id) as WireNumber['webhook'] | undefined) ?? null,
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
