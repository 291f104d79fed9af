import { eq } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Address } from '../../sdk/protocol/common.ts';
import type { WirePreferences } from '../../sdk/protocol/notifications.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import { notificationPreferences } from './tables.ts';

const byDefault: WirePreferences = { calls: true, messages: true, voicemails: true, conferenceInvites: true };

/** Which pushes wallets want. */
export class Preferences {
  readonly #db: NodePgDatabase;

  constructor(db: NodePgDatabase) {
    this.#db = db;
  }

  async of(wallet: Address): Promise<WirePreferences> {
    const [row] = await this.#db
      .select()
      .from(notificationPreferences)
      .where(eq(notificationPreferences.wallet, wallet));
    if (!row) return byDefault;
    const { calls, messages, voicemails, conferenceInvites } = row;
    return { calls, messages, voicemails, conferenceInvites };
  }

  /** Missing fields stay unchanged. */
  async set(wallet: Address, given: RequestOf<'notifications.setPreferences'>): Promise<void> {
    const entries = Object.entries(given).filter(([, value]) => value !== undefined);
    const changes = Object.fromEntries(entries) as Partial<WirePreferences>;
    if (entries.length === 0) return;
    await this.#db
      .insert(notificationPreferences)
      .values({ wallet, ...changes })
      .onConflictDoUpdate({ target: notificationPreferences.wallet, set: changes });
  }
}
