import { and, asc, count, desc, eq, isNotNull, isNull, ne, or, sql } from 'drizzle-orm';
import type { z } from 'zod';
import { roomOwners } from '../../media/cluster/tables.ts';
import type { Database } from '../../platform/database/database.ts';
import { after } from '../../platform/database/places.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { nodes } from '../../platform/node/tables.ts';
import { toIso } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { Page } from '../../sdk/protocol/http.ts';
import { normalAddress } from '../../sdk/protocol/normalAddress.ts';
import type * as schemas from '../../sdk/protocol/operator.ts';
import { calls } from '../../signaling/calls/tables.ts';
import { roomMembers, rooms } from '../../signaling/conference/tables.ts';
import { streams } from '../../signaling/streaming/tables.ts';
import { placedPage, toPlacedPage } from '../http/paging.ts';
import type { RequestOrigin } from '../http/Principal.ts';
import { noSuch } from '../http/refusals.ts';
import type { SessionService } from '../identity/SessionService.ts';
import { sessions as sessionRows } from '../identity/tables.ts';
import type { Ledger } from '../money/account/Ledger.ts';
import { accounts, type AccountRow } from '../money/account/tables.ts';
import type { AuditLog } from '../money/audit/AuditLog.ts';

interface OperatorDeps {
  db: Database;
  ledger: Ledger;
  audit: AuditLog;
  sessions: SessionService;
}

/** The session and the request of the operator. */
export interface By {
  sessionId: string | null;
  origin: RequestOrigin;
}

/** What an operator sees of the whole installation, and may do with its nodes and accounts. */
export class OperatorService {
  readonly #deps: OperatorDeps;

  constructor(deps: OperatorDeps) {
    this.#deps = deps;
  }

  async overview(): Promise<schemas.WireOperatorOverview> {
    const { db } = this.#deps;
    const [found, ringing, active, open, people, streaming] = await Promise.all([
      this.#nodes(),
      db.$count(calls, eq(calls.status, 'ringing')),
      db.$count(calls, eq(calls.status, 'active')),
      db.$count(rooms, isNull(rooms.endedAt)),
      db.$count(roomMembers, eq(roomMembers.standing, 'present')),
      this.#streams(),
    ]);
    return { nodes: found, now: { ringing, calls: active, rooms: open, people, ...streaming } };
  }

  async #streams(): Promise<{ streams: number; viewers: number }> {
    const [found] = await this.#deps.db
      .select({
        streams: sql<number>`count(*) FILTER (WHERE ${streams.status} = 'live')::int`,
        viewers: sql<number>`coalesce(sum(${streams.viewerCount}), 0)::int`,
      })
      .from(streams)
      .where(ne(streams.status, 'ended'));
    return found ?? { streams: 0, viewers: 0 };
  }

  /**
   * Drains a node, or lets it serve again. The node notices it with its next heartbeat.
   * @throws ParleyError NOT_FOUND, or CONFLICT if no other node could take its rooms
   */
  async drain(nodeId: string, isDraining: boolean): Promise<schemas.WireOperatorNode> {
    const { db } = this.#deps;
    await db.transaction(async (tx) => {
      // All nodes are locked, so that two requests cannot drain the last two.
      const living = await tx
        .select()
        .from(nodes)
        .where(isNull(nodes.diedAt))
        .orderBy(nodes.id)
        .for('update');
      const node = living.find(({ id }) => id === nodeId);
      if (!node) throw noSuchNode();
      const others = living.filter(
        ({ id, roles, draining, drains }) => id !== nodeId && roles.includes('media') && !draining && !drains,
      );
      if (isDraining && node.roles.includes('media') && others.length === 0)
        throw new ParleyError(
          'CONFLICT',
          'No other node could take its rooms. Start another node with the role media first.',
        );
      await tx.update(nodes).set({ drains: isDraining }).where(eq(nodes.id, nodeId));
    });
    const node = (await this.#nodes()).find(({ id }) => id === nodeId);
    if (!node) throw noSuchNode();
    return node;
  }

  async accounts({
    find,
    blocked,
    ...query
  }: z.output<typeof schemas.operatorAccountsQuery>): Promise<Page<schemas.WireOperatorAccount>> {
    const { limit, before } = placedPage(query);
    const wallet = find === undefined ? null : normalAddress(find);
    const isFound =
      find === undefined
        ? undefined
        : or(
            eq(accounts.id, find),
            eq(sql`lower(${accounts.email})`, find.toLowerCase()),
            wallet ? eq(accounts.wallet, wallet) : undefined,
          );
    const isBlocked = blocked === 'true' ? isNotNull(accounts.blockedAt) : isNull(accounts.blockedAt);
    const rows = await this.#deps.db
      .select()
      .from(accounts)
      .where(
        and(
          isFound,
          blocked === undefined ? undefined : isBlocked,
          after(before, accounts.createdAt, accounts.id),
        ),
      )
      .orderBy(desc(accounts.createdAt), desc(accounts.id))
      .limit(limit + 1);
    return toPlacedPage(rows, limit, ({ createdAt: at, id }) => ({ at, id }), toWire);
  }

  /** Grants credits, in the transaction of the request. */
  async grant(
    tx: Executor,
    accountId: string,
    { credits, reason }: z.output<typeof schemas.grantCredits>,
    by: By,
  ): Promise<schemas.WireOperatorAccount> {
    const { ledger, audit } = this.#deps;
    await this.#locked(tx, accountId);
    await ledger.grant(tx, {
      accountId,
      amount: credits,
      service: 'grant',
      description: reason,
      reference: { type: 'grant', id: newId('txn') },
    });
    await audit.write(tx, { ...actor(accountId, by), action: 'credits.granted', credits });
    return toWire(await this.#locked(tx, accountId));
  }

  /**
   * Blocks an account: its sessions and connections end, its API keys are refused, and nobody can sign in to it.
   * @returns the account, and a function that closes its connections, to be called after the commit
   */
  async block(
    tx: Executor,
    accountId: string,
    reason: string,
    by: By,
  ): Promise<{ account: schemas.WireOperatorAccount; close: () => void }> {
    const { audit, sessions } = this.#deps;
    const before = await this.#locked(tx, accountId);
    const set = { blockedAt: before.blockedAt ?? new Date(), blockedFor: reason };
    await tx.update(accounts).set(set).where(eq(accounts.id, accountId));
    const close = await sessions.endAll(tx, eq(sessionRows.accountId, accountId), by.origin);
    await audit.write(tx, { ...actor(accountId, by), action: 'account.blocked' });
    return { account: toWire({ ...before, ...set }), close };
  }

  async unblock(tx: Executor, accountId: string, by: By): Promise<schemas.WireOperatorAccount> {
    const before = await this.#locked(tx, accountId);
    const set = { blockedAt: null, blockedFor: null };
    await tx.update(accounts).set(set).where(eq(accounts.id, accountId));
    if (before.blockedAt)
      await this.#deps.audit.write(tx, { ...actor(accountId, by), action: 'account.unblocked' });
    return toWire({ ...before, ...set });
  }

  async #nodes(): Promise<schemas.WireOperatorNode[]> {
    const rows = await this.#deps.db
      .select({ node: nodes, rooms: count(roomOwners.roomId) })
      .from(nodes)
      .leftJoin(roomOwners, eq(roomOwners.nodeId, nodes.id))
      .where(isNull(nodes.diedAt))
      .groupBy(nodes.id)
      .orderBy(asc(nodes.startedAt));
    return rows.map(({ node, rooms: held }) => ({
      id: node.id,
      address: node.address,
      roles: node.roles as schemas.WireOperatorNode['roles'],
      release: node.release,
      load: node.load,
      cpu: node.cpu,
      // A single node keeps no record of the owners of rooms.
      rooms: node.address === null ? null : held,
      isDraining: node.draining || node.drains,
      startedAt: toIso(node.startedAt),
      seenAt: toIso(node.seenAt),
    }));
  }

  /** @throws ParleyError NOT_FOUND */
  async #locked(tx: Executor, accountId: string): Promise<AccountRow> {
    const [row] = await tx.select().from(accounts).where(eq(accounts.id, accountId)).for('update');
    if (!row) throw noSuch('account', 'There is no such account. Look it up with GET /operator/accounts.');
    return row;
  }
}

/** The account sees the row, but not where the operator is. */
const actor = (accountId: string, { sessionId, origin: { requestId } }: By) =>
  ({ accountId, at: new Date(), actorType: 'operator', actorId: sessionId, requestId }) as const;

const noSuchNode = () => noSuch('node', 'There is no living node with this id.');

const toWire = (row: AccountRow): schemas.WireOperatorAccount => ({
  id: row.id,
  walletAddress: row.wallet,
  email: row.email,
  credits: row.credits,
  reserved: row.reserved,
  createdAt: toIso(row.createdAt),
  blockedAt: row.blockedAt && toIso(row.blockedAt),
  blockedFor: row.blockedFor,
});
