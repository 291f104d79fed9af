import { and, eq } from 'drizzle-orm';
import type { Database } from '../../../../platform/database/database.ts';
import { stockNumbers } from './tables.ts';

/**
 * Puts a number back into the stock that it was bought from, also if its carrier is no longer the current one.
 * @param reference the order that bought it, so that a late release does not take the number away from a later buyer
 * @returns false if that order bought no number of a stock
 */
export async function releaseFromStock(
  db: Database,
  { phoneNumber, reference }: { phoneNumber: string; reference: string },
): Promise<boolean> {
  const released = await db
    .delete(stockNumbers)
    .where(and(eq(stockNumbers.phoneNumber, phoneNumber), eq(stockNumbers.orderId, reference)))
    .returning({ orderId: stockNumbers.orderId });
  return released.length > 0;
}
