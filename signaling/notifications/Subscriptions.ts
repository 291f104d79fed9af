import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Address } from '../../sdk/protocol/common.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { PushTarget } from '../../sdk/protocol/notifications.ts';
import { pushSubscriptions, type SubscriptionRow } from './tables.ts';

/** Returns the given sessions that have not ended. */
export type LivingSessions = (sessionIds: string[]) => Promise<Set<string>>;

/** A device and its push target. */
export interface Subscription {
  id: string;
  sessionId: string;
  target: PushTarget;
}

/** The maximum number of subscriptions per wallet. Beyond it, a new one replaces the one that was renewed longest ago. */
const maxPerWallet = 10;

/** The push subscriptions of wallets. */
export class Subscriptions {
  readonly #db: NodePgDatabase;
  readonly #livingSessions: LivingSessions;

  constructor(db: NodePgDatabase, livingSessions: LivingSessions) {
    this.#db = db;
    this.#livingSessions = livingSessions;
  }

  /** Adds or renews a subscription. @returns whether it is the wallet's first subscription */
  async put(wallet: Address, sessionId: string, target: PushTarget): Promise<boolean> {
    const { address, ...keys } = columnsOf(target);
    const values = { sessionId, ...keys, renewedAt: new Date() };
    return this.#db.transaction(async (tx) => {
      const before = await tx.$count(pushSubscriptions, eq(pushSubscriptions.wallet, wallet));
      await tx
        .insert(pushSubscriptions)
        .values({ id: newId('psh'), wallet, address, ...values })
        .onConflictDoUpdate({ target: [pushSubscriptions.wallet, pushSubscriptions.address], set: values });
      if (before >= maxPerWallet)
        await tx.execute(sql`
          DELETE FROM push_subscriptions WHERE id IN (
            SELECT id FROM push_subscriptions WHERE wallet = ${wallet}
            ORDER BY renewed_at DESC, id OFFSET ${maxPerWallet})`);
      return before === 0;
    });
  }

  async remove(wallet: Address, address: string): Promise<void> {
    const own = and(eq(pushSubscriptions.wallet, wallet), eq(pushSubscriptions.address, address));
    await this.#db.delete(pushSubscriptions).where(own);
  }

  /** Removes a device that the push service no longer knows. */
  async drop(target: PushTarget): Promise<void> {
    await this.#db.delete(pushSubscriptions).where(eq(pushSubscriptions.address, addressOf(target)));
  }

  /** A wallet's subscriptions. Removes those whose session has ended. */
  async of(wallet: Address): Promise<Subscription[]> {
    const rows = await this.#db
      .select()
      .from(pushSubscriptions)
      .where(eq(pushSubscriptions.wallet, wallet))
      .orderBy(asc(pushSubscriptions.renewedAt));
    if (rows.length === 0) return [];
    const living = await this.#livingSessions([...new Set(rows.map(({ sessionId }) => sessionId))]);
    const ended = rows.filter(({ sessionId }) => !living.has(sessionId)).map(({ id }) => id);
    if (ended.length > 0)
      await this.#db.delete(pushSubscriptions).where(inArray(pushSubscriptions.id, ended));
    return rows.filter(({ sessionId }) => living.has(sessionId)).map(toSubscription);
  }
}

const addressOf = (target: PushTarget) => (target.service === 'web' ? target.endpoint : target.token);

function columnsOf(target: PushTarget) {
  const none = { service: target.service, address: addressOf(target), p256dh: null, auth: null, mode: null };
  switch (target.service) {
    case 'web':
      return { ...none, p256dh: target.p256dh, auth: target.auth };
    case 'apns':
      return { ...none, mode: target.mode };
    case 'fcm':
      return none;
  }
}

function toSubscription({ id, sessionId, ...row }: SubscriptionRow): Subscription {
  return { id, sessionId, target: toTarget(row) };
}

function toTarget({
  service,
  address,
  p256dh,
  auth,
  mode,
}: Pick<SubscriptionRow, 'service' | 'address' | 'p256dh' | 'auth' | 'mode'>): PushTarget {
  switch (service) {
    case 'web':
      return { service, endpoint: address, p256dh: p256dh ?? '', auth: auth ?? '' };
    case 'fcm':
      return { service, token: address };
    case 'apns':
      return { service, token: address, mode: mode ?? 'alert' };
  }
}
