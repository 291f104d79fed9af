import { and, eq, sql } from 'drizzle-orm';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { AccountHost } from '../../sdk/protocol/party.ts';
import { rooms } from '../../signaling/conference/tables.ts';
import { recordings } from '../../signaling/recordings/tables.ts';
import { streams } from '../../signaling/streaming/tables.ts';
import type { AccountPrincipal } from '../http/Principal.ts';
import { accounts } from '../money/account/tables.ts';
import { hostOf } from './RealtimeRules.ts';

const hostOfAccount = (accountId: string): AccountHost => `account:${accountId}`;
const lockOf = (accountId: string) => sql`hashtextextended(${`host of ${accountId}`}, 0)`;

/**
 * Call first in the transaction that stores something of which the account is the host. It ensures that giveToWallet() finds it.
 * @throws ParleyError SERVICE_UNAVAILABLE if a wallet was linked to the account since the request began
 */
export async function keepHost(tx: Executor, principal: AccountPrincipal): Promise<void> {
  const { accountId } = principal;
  if (hostOf(principal) !== hostOfAccount(accountId)) return;
  await tx.execute(sql`SELECT pg_advisory_xact_lock_shared(${lockOf(accountId)})`);
  const [linked] = await tx
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), sql`${accounts.wallet} IS NOT NULL`));
  if (linked)
    throw new ParleyError('SERVICE_UNAVAILABLE', 'A wallet was just linked to the account. Send it again.', {
      retryAfter: 1,
    });
}

/**
 * Makes a wallet the host of everything of which its account was the host without it. Call it in the transaction that links the wallet,
 * before any account is locked: transactions of rooms lock the room first, too.
 */
export async function giveToWallet(tx: Executor, accountId: string, wallet: Address): Promise<void> {
  const host = hostOfAccount(accountId);
  await tx.execute(sql`SELECT pg_advisory_xact_lock(${lockOf(accountId)})`);
  const recordedBy = sql`CASE WHEN ${rooms.recordedBy} = ${host} THEN ${wallet} ELSE ${rooms.recordedBy} END`;
  await tx.update(rooms).set({ host: wallet, recordedBy }).where(eq(rooms.host, host));
  await tx.update(streams).set({ host: wallet }).where(eq(streams.host, host));
  await tx.update(recordings).set({ host: wallet }).where(eq(recordings.host, host));
}
