import type { Database } from '../../platform/database/database.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { AccountPrincipal } from '../http/Principal.ts';
import { bodyHashOf } from '../http/readBody.ts';
import { costOf, type Charge, type Cost, type Route, type RouteContext } from '../http/Route.ts';
import type { Ledger, Purchase, Reservation } from './account/Ledger.ts';
import { claimLost, type Earlier, type Funding, type StoredAnswer } from './Funding.ts';
import type { Idempotency, KeyedRequest } from './idempotency/Idempotency.ts';
import { idempotencyKeyOf } from './idempotency/idempotencyKeyOf.ts';

export interface AccountFundingDeps {
  db: Database;
  ledger: Ledger;
  idempotency: Idempotency;
}

type Context = RouteContext<never, never, never>;
const free: Cost = { units: 0, credits: 0 };

/** Pays a request with the credits of its account, and stores its answer under its Idempotency-Key if it has one. */
export class AccountFunding implements Funding {
  readonly cost: Cost;
  readonly #purchase: Omit<Purchase, 'amount'>;
  readonly #keyed: KeyedRequest | null;
  readonly #deps: AccountFundingDeps;
  readonly #context: Context;
  /** Why the price is not known, for example because a provider does not answer. A request that ran before is answered nevertheless. */
  readonly #unpriced: PromiseRejectedResult | null;
  #reservationId: string | null = null;

  /** @returns null if there is nothing to charge, store or commit together */
  static async of(row: Route, context: Context, deps: AccountFundingDeps): Promise<AccountFunding | null> {
    const { principal, body } = context;
    if (!principal) return null;
    if (principal.kind === 'x402') throw new Error('an x402 payer has no account to charge');
    const keyed = row.idempotent ? keyedRequest(row, context, principal) : null;
    const [priced] = await Promise.allSettled([row.price ? costOf(row.price, body, principal) : free]);
    if (!keyed && priced.status === 'rejected') throw priced.reason;
    if (!keyed && !row.work && priced.status === 'fulfilled' && priced.value.credits === 0) return null;
    return new AccountFunding(row, principal, keyed, priced, deps, context);
  }

  private constructor(
    { price, summary }: Route,
    principal: AccountPrincipal,
    keyed: KeyedRequest | null,
    priced: PromiseSettledResult<Cost>,
    deps: AccountFundingDeps,
    context: Context,
  ) {
    const cost = priced.status === 'fulfilled' ? priced.value : free;
    this.cost = cost;
    this.#unpriced = priced.status === 'rejected' ? priced : null;
    this.#keyed = keyed;
    this.#deps = deps;
    this.#context = context;
    this.#purchase = {
      accountId: principal.accountId,
      service: price?.service ?? '',
      description: `${summary} ${cost.units} × ${price?.unit}`,
      apiKeyPrefix: principal.kind === 'key' ? principal.key.prefix : null,
    };
  }

  async claim(tx: Executor): Promise<Earlier | null> {
    const { idempotency, ledger } = this.#deps;
    const earlier = this.#keyed && (await idempotency.claim(tx, this.#keyed));
    if (!earlier && this.#unpriced) throw this.#unpriced.reason;
    if (!earlier || !('bought' in earlier)) return earlier;
    this.#reservationId = earlier.bought;
    return { bought: chargeOf(await ledger.made(tx, earlier.bought)) };
  }

  async charge(tx: Executor, how: 'debit' | 'reserve'): Promise<Charge | null> {
    const { ledger, idempotency } = this.#deps;
    const { credits: amount } = this.cost;
    if (amount === 0) return null;
    if (how === 'debit') return chargeOf(await ledger.debit(tx, { ...this.#purchase, amount }));
    const held = await ledger.reserve(tx, { ...this.#purchase, amount });
    this.#reservationId = held.id;
    if (this.#keyed) await idempotency.attach(tx, this.#keyed, held.id);
    return chargeOf(held);
  }

  /** A key with a reservation needs no lease of its own: whether it is free depends on the reservation. */
  async renew(): Promise<boolean> {
    const { db, ledger, idempotency } = this.#deps;
    if (this.#reservationId === null) return this.#keyed !== null && idempotency.renew(db, this.#keyed);
    return ledger.keep(db, this.#reservationId);
  }

  async finish(tx: Executor, answer: StoredAnswer): Promise<void> {
    const { ledger, idempotency } = this.#deps;
    const id = this.#reservationId;
    const isOurs = !this.#keyed || (await idempotency.finish(tx, this.#claimOf(this.#keyed), answer));
    if (isOurs && (id === null || (await ledger.confirm(tx, id)))) return;
    this.#context.log.error({ reservation: id }, 'request taken over or refunded while it was still running');
    throw claimLost();
  }

  async fail(answer: StoredAnswer, isFinal: boolean): Promise<void> {
    const { db, ledger, idempotency } = this.#deps;
    const id = this.#reservationId;
    await db.transaction(async (tx) => {
      const claim = this.#keyed && this.#claimOf(this.#keyed);
      if (id !== null) await ledger.release(tx, id, 'Refunded: request failed');
      if (claim && isFinal) await idempotency.finish(tx, claim, answer);
      if (claim && !isFinal) await idempotency.forget(tx, claim);
    });
  }

  #claimOf(keyed: KeyedRequest) {
    return { ...keyed, reservationId: this.#reservationId };
  }
}

const chargeOf = ({ id, amount, balance }: Reservation & { balance: number }): Charge => ({
  id,
  balance,
  credits: amount,
  reservationId: id,
});

function keyedRequest(
  row: Route,
  { request, origin, params }: Context,
  { accountId }: AccountPrincipal,
): KeyedRequest | null {
  const key = idempotencyKeyOf(request);
  if (key === null) return null;
  return { accountId, method: origin.method, path: pathOf(row, params), key, bodyHash: bodyHashOf(request) };
}

/**
 * The canonical path of a request. `/lookup`, `/lookup/` and `/Lookup` are the same route, so an Idempotency-Key must identify the same
 * request on all of them.
 */
function pathOf({ path }: Route, params: Record<string, string> | undefined): string {
  return `/api/v1${path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ''))}`;
}
