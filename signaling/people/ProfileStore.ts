import { eq, inArray, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import { conversationId } from '../messages/conversationId.ts';
import { hasWritten, isMemberByHour } from '../messages/tables.ts';
import { profiles, type ProfileRow } from './tables.ts';

/** How many of the latest calls in each direction, and of the latest conversations, are searched for those who are told about a change. */
const latest = 100;
/** The maximum number of contacts, of members of groups, and of people in a room who are told about a change. All others read it the next time. */
const toldAtMost = 500;

/** The profiles of wallets, and to whom they are told. */
export class ProfileStore {
  readonly #db: NodePgDatabase;

  constructor(db: NodePgDatabase) {
    this.#db = db;
  }

  transaction<T>(run: (tx: Executor) => Promise<T>): Promise<T> {
    return this.#db.transaction(run);
  }

  async find(wallet: Address, executor: Executor = this.#db): Promise<ProfileRow> {
    const [row] = await executor.select().from(profiles).where(eq(profiles.wallet, wallet));
    return row ?? { wallet, name: null, avatarFile: null };
  }

  /** Like find(). Until the transaction ends, no other one can change the profile. */
  async lock(tx: Executor, wallet: Address): Promise<ProfileRow> {
    await tx.insert(profiles).values({ wallet }).onConflictDoNothing();
    await tx.select().from(profiles).where(eq(profiles.wallet, wallet)).for('update');
    return this.find(wallet, tx);
  }

  async change(tx: Executor, { wallet, ...changes }: ProfileRow): Promise<void> {
    await tx.update(profiles).set(changes).where(eq(profiles.wallet, wallet));
  }

  /**
   * The profiles of those of these wallets that tell it to the viewer. A wallet tells its profile to the wallets that it has saved as contacts,
   * called, answered, written to or left a voicemail, to all who are in the same room now, and to the members of its groups. Only its own actions
   * count, because anyone can call or write to a stranger. It does not tell its profile to wallets that it has blocked.
   *
   * LIMIT keeps PostgreSQL from reading all calls and voicemails of the viewer into a hash table instead of looking up each wallet, as it may
   * do for EXISTS.
   */
  async toldTo(viewer: Address, wallets: Address[]): Promise<Map<Address, ProfileRow>> {
    const conversations = wallets.map((wallet) => conversationId(viewer, wallet));
    const { rows } = await this.#db.execute<{
      wallet: Address;
      name: string | null;
      avatar_file: string | null;
    }>(sql`
      WITH asked AS (
        SELECT p.wallet, p.name, p.avatar_file, g.conversation
        FROM unnest(${sql.param(wallets)}::text[], ${sql.param(conversations)}::text[]) AS g (wallet, conversation)
        JOIN profiles p USING (wallet)
      ), near AS (
        SELECT o.wallet FROM room_members m JOIN room_members o USING (room_id)
        WHERE m.wallet = ${viewer} AND m.standing = 'present' AND o.standing = 'present'
      ), own_groups AS (
        SELECT group_id FROM group_members WHERE wallet = ${viewer} AND standing = 'member'
      )
      SELECT wallet, name, avatar_file FROM asked a
      WHERE wallet = ${viewer} OR (
        NOT EXISTS (SELECT FROM blocks b WHERE b.wallet = a.wallet AND b.blocked = ${viewer})
        AND (
          EXISTS (SELECT FROM saved_contacts s WHERE s.wallet = a.wallet AND s.contact = ${viewer})
          OR (SELECT true FROM calls c WHERE c.callee = ${viewer} AND c.caller = a.wallet AND NOT c.hidden LIMIT 1)
          OR (
            SELECT true FROM calls c
            WHERE c.caller = ${viewer} AND c.callee = a.wallet AND c.answered_at IS NOT NULL LIMIT 1)
          OR (
            SELECT true FROM voicemails v
            WHERE v.recipient = ${viewer} AND v.sender = a.wallet AND v.status = 'ready' AND NOT v.hidden LIMIT 1)
          OR wallet IN (SELECT wallet FROM near)
          OR EXISTS (
            SELECT FROM group_members m JOIN own_groups USING (group_id)
            WHERE m.wallet = a.wallet AND m.standing = 'member')
          OR ${hasWritten(sql`a.wallet`, sql`${viewer}`, sql`a.conversation`)}
        ))`);
    return new Map(
      rows.map(({ wallet, name, avatar_file: avatarFile }) => [wallet, { wallet, name, avatarFile }]),
    );
  }

  /** Wallets to which this wallet tells its profile, to tell them about a change. */
  async audienceOf(wallet: Address): Promise<Address[]> {
    const { rows } = await this.#db.execute<{ other: Address }>(sql`
      WITH calling AS (
        SELECT caller AS other, answered_at FROM calls WHERE callee = ${wallet} ORDER BY started_at DESC LIMIT ${latest}
      ), called AS (
        SELECT callee AS other, hidden FROM calls WHERE caller = ${wallet} ORDER BY started_at DESC LIMIT ${latest}
      ), writing AS (
        SELECT peer AS other, conversation FROM conversation_members
        WHERE ${isMemberByHour(wallet)} AND peer NOT LIKE 'grp\\_%' ORDER BY active_at DESC LIMIT ${latest}
      ), near AS (
        SELECT o.wallet AS other FROM room_members m JOIN room_members o USING (room_id)
        WHERE m.wallet = ${wallet} AND m.standing = 'present' AND o.standing = 'present' LIMIT ${toldAtMost}
      ), saved AS (
        SELECT contact AS other FROM saved_contacts WHERE wallet = ${wallet} LIMIT ${toldAtMost}
      ), together AS (
        SELECT o.wallet AS other FROM group_members m JOIN group_members o USING (group_id)
        WHERE m.wallet = ${wallet} AND m.standing = 'member' AND o.standing = 'member' LIMIT ${toldAtMost}
      )
      SELECT other FROM (
        SELECT other FROM saved UNION SELECT other FROM calling WHERE answered_at IS NOT NULL
        UNION SELECT other FROM called WHERE NOT hidden
        UNION SELECT other FROM near UNION SELECT other FROM together
        UNION SELECT other FROM writing w WHERE ${hasWritten(sql`${wallet}`, sql`w.other`, sql`w.conversation`)}
      ) told
      WHERE other <> ${wallet}
        AND NOT EXISTS (SELECT FROM blocks b WHERE b.wallet = ${wallet} AND b.blocked = told.other)`);
    return rows.map(({ other }) => other);
  }

  /** The names in the profiles of these parties, which they show to all others in a room. */
  async namesOf(executor: Executor, parties: PartyId[]): Promise<Map<PartyId, string>> {
    if (parties.length === 0) return new Map();
    const rows = await executor
      .select()
      .from(profiles)
      .where(inArray(profiles.wallet, parties as Address[]));
    return new Map(rows.flatMap(({ wallet, name }) => (name === null ? [] : [[wallet, name] as const])));
  }
}
