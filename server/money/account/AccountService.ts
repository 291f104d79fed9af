import { and, desc, eq, lt } from 'drizzle-orm';
import type { z } from 'zod';
import type {
  historyQuery,
  WireAccount,
  WireAccountCredits,
  WireMovement,
} from '../../../sdk/protocol/account.ts';
import { onChain } from '../../../sdk/protocol/address.ts';
import { toIso } from '../../../sdk/protocol/common.ts';
import type { Page } from '../../../sdk/protocol/http.ts';
import type { Database } from '../../../platform/database/database.ts';
import { pageRequest, toPage } from '../../http/paging.ts';
import type { AccountState, AccountPrincipal } from '../../http/Principal.ts';
import type { Plans } from './Plans.ts';
import { accounts, ledger } from './tables.ts';
import { toMovement } from './toWire.ts';

/** Reads the data of an account for its owner. */
export class AccountService {
  readonly #db: Database;
  readonly #plans: Plans;

  constructor({ db, plans }: { db: Database; plans: Plans }) {
    this.#db = db;
    this.#plans = plans;
  }

  async read(principal: AccountPrincipal): Promise<WireAccount> {
    const [state, plan] = await Promise.all([
      this.#stateOf(principal),
      this.#plans.currentPlanId(principal.accountId),
    ]);
    return {
      id: state.id,
      credits: state.credits,
      authMethod: principal.kind === 'key' ? 'api_key' : 'session',
      walletAddress: state.wallet && onChain(state.wallet).address,
      walletId: state.wallet,
      email: state.email,
      plan,
      apiKey: principal.kind === 'key' ? principal.key : null,
      createdAt: toIso(state.createdAt),
    };
  }

  async credits(principal: AccountPrincipal): Promise<WireAccountCredits> {
    const { credits, reserved, creditsUpdatedAt } = await this.#stateOf(principal);
    return { credits, reserved, currency: 'USD', creditValue: '0.01', updatedAt: toIso(creditsUpdatedAt) };
  }

  async balanceOf(accountId: string): Promise<number> {
    const [account] = await this.#db
      .select({ credits: accounts.credits })
      .from(accounts)
      .where(eq(accounts.id, accountId));
    return account?.credits ?? 0;
  }

  async history(accountId: string, query: z.output<typeof historyQuery>): Promise<Page<WireMovement>> {
    const { limit, before } = pageRequest(query);
    const wanted = [
      eq(ledger.accountId, accountId),
      query.type && eq(ledger.type, query.type),
      before === null ? undefined : lt(ledger.seq, before),
    ];
    const rows = await this.#db
      .select()
      .from(ledger)
      .where(and(...wanted))
      .orderBy(desc(ledger.seq))
      .limit(limit + 1);
    return toPage(rows, limit, toMovement);
  }

  /** The account's state. For an API key, it has already been read together with the key. */
  async #stateOf(principal: AccountPrincipal): Promise<AccountState> {
    if (principal.kind === 'key') return principal.account;
    const [account] = await this.#db.select().from(accounts).where(eq(accounts.id, principal.accountId));
    if (!account) throw new Error(`there is no account ${principal.accountId}`);
    return account;
  }
}
