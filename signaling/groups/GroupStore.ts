import { and, asc, eq, getTableColumns, inArray, sql, type SQL } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Executor } from '../../platform/database/Executor.ts';
import { retryConflicts } from '../../platform/database/GroupCommit.ts';
import { toIso, type Address } from '../../sdk/protocol/common.ts';
import type { GroupId } from '../../sdk/protocol/group.ts';
import type { GroupStanding, WireGroupSummary } from '../../sdk/protocol/groups.ts';
import { conversations } from '../messages/tables.ts';
import { groupMembers, groups, type GroupMemberRow, type GroupRow } from './tables.ts';

/** A group whose members and messages do not change until the transaction ends. */
export interface LockedGroup {
  id: GroupId;
  /** The time of the latest message. */
  latestAt: Date;
}

/** A new or changed member. */
export type NewMember = Pick<GroupMemberRow, 'wallet' | 'role' | 'standing' | 'invitedBy'>;

/** Whether a row of `group_members` is an invitation by a wallet that the invited one has blocked. For that one, it does not exist. */
const isUnseen = sql`(${groupMembers.standing} = 'invited' AND EXISTS (
  SELECT FROM blocks b WHERE b.wallet = ${groupMembers.wallet} AND b.blocked = ${groupMembers.invitedBy}))`;
/** Whether a wallet knows the group of its row. A former member does, even if a wallet that it has blocked invites it again. */
const isKnown = sql`NOT (${isUnseen} AND ${groupMembers.seen} = '{}')`;
/** The standing as the wallet itself sees it. */
const ownStanding = sql<GroupStanding>`CASE WHEN ${isUnseen} THEN 'left' ELSE ${groupMembers.standing} END`;
/** Whether a wallet of this standing has left, declined or was removed. */
const isOut = (standing: SQL) => sql`(${standing} IN ('left', 'removed'))`;

/** Groups and their members in the database. */
export class GroupStore {
  readonly #db: NodePgDatabase;

  constructor(db: NodePgDatabase) {
    this.#db = db;
  }

  async find(id: GroupId): Promise<GroupRow | null> {
    const [row] = await this.#db.select().from(groups).where(eq(groups.id, id));
    return row ?? null;
  }

  /** @returns null if there is a group with this id already */
  async create<T>(row: Omit<GroupRow, 'createdAt'>, then: Change<T>): Promise<T | null> {
    return this.#db.transaction(async (tx) => {
      const [created] = await tx
        .insert(groups)
        .values({ ...row, createdAt: sql`now()` })
        .onConflictDoNothing()
        .returning();
      if (!created) return null;
      const { id, createdAt } = created;
      await tx.insert(conversations).values({ id, messages: 0, latestAt: createdAt });
      return then(tx, { id, latestAt: createdAt });
    });
  }

  /**
   * Runs a change of a group. Until it ends, no other one changes it, and no message is stored. Receipts lock its members in any order, so
   * the change runs again after a deadlock with them.
   * @returns null if there is no such group
   */
  async change<T>(id: GroupId, run: Change<T>): Promise<T | null> {
    return retryConflicts(() =>
      this.#db.transaction(async (tx) => {
        const [row] = await tx.select().from(conversations).where(eq(conversations.id, id)).for('update');
        return row ? run(tx, { id, latestAt: row.latestAt }) : null;
      }),
    );
  }

  async rename(tx: Executor, id: GroupId, name: string): Promise<void> {
    await tx.update(groups).set({ name }).where(eq(groups.id, id));
  }

  /** The row of a wallet as it sees it, whatever its standing; null if it has none, or only an invitation by a wallet that it has blocked. */
  async member(id: GroupId, wallet: Address, executor: Executor = this.#db): Promise<GroupMemberRow | null> {
    const [row] = await executor
      .select({ ...getTableColumns(groupMembers), standing: ownStanding })
      .from(groupMembers)
      .where(and(eq(groupMembers.wallet, wallet), eq(groupMembers.groupId, id), isKnown));
    return row ?? null;
  }

  /** The rows of all wallets, whatever their standing, in the order in which their standing last changed. */
  async rows(id: GroupId, executor: Executor = this.#db): Promise<GroupMemberRow[]> {
    return executor
      .select()
      .from(groupMembers)
      .where(eq(groupMembers.groupId, id))
      .orderBy(asc(groupMembers.changedAt), asc(groupMembers.wallet));
  }

  /** The members' wallets. */
  async wallets(id: GroupId, executor: Executor = this.#db): Promise<Address[]> {
    const rows = await executor
      .select({ wallet: groupMembers.wallet })
      .from(groupMembers)
      .where(and(eq(groupMembers.groupId, id), eq(groupMembers.standing, 'member')));
    return rows.map(({ wallet }) => wallet);
  }

  /**
   * Adds or changes a member. From when a wallet becomes a member until it no longer is one, it sees the messages. Those from before count as
   * read and as indexed, so that they are not looked at again and again.
   */
  async put(tx: Executor, { id, latestAt }: LockedGroup, member: NewMember): Promise<void> {
    const { wallet, role, standing, invitedBy } = member;
    const latest = sql`${toIso(latestAt)}::timestamptz`;
    const isEntering = sql`${standing} = 'member' AND NOT EXISTS (SELECT FROM before WHERE standing = 'member')`;
    await tx.execute(sql`
      WITH before AS (
        SELECT standing FROM group_members WHERE wallet = ${wallet} AND group_id = ${id}
      ), entered AS (
        INSERT INTO conversation_members AS c (wallet, conversation, peer, delivered_until, read_until, indexed_until)
        VALUES (${wallet}, ${id}, ${id}, ${latest}, ${latest}, ${latest})
        ON CONFLICT (wallet, conversation) DO UPDATE SET active_at = greatest(c.active_at, excluded.active_at),
          delivered_until = CASE WHEN ${isEntering} THEN excluded.delivered_until ELSE c.delivered_until END,
          read_until = CASE WHEN ${isEntering} THEN excluded.read_until ELSE c.read_until END
      )
      INSERT INTO group_members AS m (wallet, group_id, role, standing, invited_by, last_name, changed_at, seen)
      VALUES (${wallet}, ${id}, ${role}, ${standing}, ${invitedBy},
        CASE WHEN ${isOut(sql`${standing}`)} THEN (SELECT name FROM groups WHERE id = ${id}) END, clock_timestamp(),
        CASE WHEN ${standing} = 'member' THEN tstzmultirange(tstzrange(${latest}, NULL, '()')) ELSE '{}' END)
      ON CONFLICT (wallet, group_id) DO UPDATE SET role = excluded.role, standing = excluded.standing,
        invited_by = excluded.invited_by, last_name = coalesce(excluded.last_name, m.last_name),
        changed_at = CASE WHEN m.standing = excluded.standing THEN m.changed_at ELSE excluded.changed_at END,
        seen = CASE
          WHEN m.standing = excluded.standing THEN m.seen
          WHEN excluded.standing = 'member' THEN m.seen + excluded.seen
          ELSE m.seen * tstzmultirange(tstzrange(NULL, ${latest}, '[]')) END`);
  }

  /** Removes the row of a wallet that was never in the group. */
  async forget(tx: Executor, id: GroupId, wallet: Address): Promise<void> {
    await tx.delete(groupMembers).where(and(eq(groupMembers.wallet, wallet), eq(groupMembers.groupId, id)));
  }

  /**
   * These groups as the wallet sees them, by id. Groups that it does not know are missing. Of a group that it has left, it sees the name of
   * that time, which nodes of the release 0.1.0 do not store.
   */
  async summaries(wallet: Address, ids: GroupId[]): Promise<Map<GroupId, WireGroupSummary>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#db
      .select({
        id: groups.id,
        name: sql<string>`CASE WHEN ${isOut(ownStanding)} THEN coalesce(${groupMembers.lastName}, ${groups.name})
          ELSE ${groups.name} END`,
        standing: ownStanding,
        role: groupMembers.role,
        invitedBy: groupMembers.invitedBy,
        memberCount: sql<number>`(SELECT count(*)::int FROM group_members o
          WHERE o.group_id = ${groups.id} AND o.standing = 'member' AND NOT ${isOut(ownStanding)})`,
      })
      .from(groupMembers)
      .innerJoin(groups, eq(groups.id, groupMembers.groupId))
      .where(and(eq(groupMembers.wallet, wallet), inArray(groupMembers.groupId, ids), isKnown));
    return new Map(rows.map((row) => [row.id, row]));
  }
}

type Change<T> = (tx: Executor, group: LockedGroup) => Promise<T>;
