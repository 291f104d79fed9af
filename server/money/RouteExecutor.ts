import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Ledger, Reservation } from './account/Ledger.ts';
import type { Database } from '../../platform/database/database.ts';
import { toHttpError } from '../http/errors.ts';
import type { Claim, Idempotency, KeyedRequest, StoredAnswer } from './idempotency/Idempotency.ts';
import type { AccountPrincipal } from '../http/Principal.ts';
import { bodyHashOf } from '../http/readBody.ts';
import { RawAnswer } from '../http/RawAnswer.ts';
import { costOf, type Charge, type KeepAnswer, type Route, type RouteContext } from '../http/Route.ts';

export interface RouteExecutor {
  db: Database;
  ledger: Ledger;
  idempotency: Idempotency;
  /** How long the reservation and the Idempotency-Key of a request stay locked after its process has died. */
  leaseMs: number;
}

export interface ExecutedRoute extends StoredAnswer {
  replayed: boolean;
  /** The units and credits charged; null if the request was free or its answer was replayed. */
  spent: { units: number; credits: number } | null;
}

type Context = RouteContext<never, never, never>;
type Held = Reservation & { balance: number };

/** Runs a route's handler once per Idempotency-Key, and charges the route's price. */
export async function executeRoute(
  row: Route,
  handle: NonNullable<Route['handle']>,
  context: Context,
  executor: RouteExecutor,
): Promise<ExecutedRoute> {
  const { principal } = context;
  if (principal?.kind === 'x402') throw new Error('an x402 payer has no account to charge');
  const keyed = principal && row.idempotent ? keyedRequest(row, context, principal) : null;
  const { units, credits } =
    row.price && principal ? await costOf(row.price, context.body, principal) : { units: 0, credits: 0 };
  if (!principal || (!keyed && credits === 0)) {
    await row.check?.(context, executor.db);
    return await answerOf(handle, context);
  }
  const begun = await begin(row, keyed, context, { principal, units, credits }, executor);
  if ('stored' in begun) return { ...begun.stored, replayed: true, spent: null };
  if ('bought' in begun) {
    const rebuilt = await rebuildAnswer(row, begun.bought, context, executor);
    await executor.idempotency.finish(executor.db, { ...begun.keyed, reservationId: begun.bought }, rebuilt);
    return { ...rebuilt, replayed: true, spent: null };
  }
  const { held } = begun;
  const claim = keyed && { ...keyed, reservationId: held?.id ?? null };
  const stopKeeping = keepHolding(executor, claim, held, context);
  let body: unknown;
  const kept = { inWork: false };
  const keepAnswer: KeepAnswer = async (tx, answer) => {
    if (claim) await executor.idempotency.finishInWork(tx, claim, { ...context.answer, body: answer });
    kept.inWork = claim !== null;
    return answer;
  };
  try {
    body = await handle({ ...context, charge: held && chargeOf(held), keepAnswer });
  } catch (error) {
    await fail(error, claim, held, context, executor);
    throw error;
  } finally {
    stopKeeping();
  }
  const answer = { status: context.answer.status, body };
  await succeed(answer, kept.inWork ? null : claim, held, context, executor);
  return { ...answer, replayed: false, spent: held && { units, credits: held.amount } };
}

const chargeOf = ({ id, amount, balance }: Held): Charge => ({
  id,
  balance,
  credits: amount,
  reservationId: id,
});

/**
 * Rebuilds the answer of a request whose process died after the purchase.
 * @throws ParleyError CONFLICT with the reservationId if the answer cannot be rebuilt
 */
async function rebuildAnswer(
  { again }: Route,
  reservationId: string,
  context: Context,
  { db, ledger }: RouteExecutor,
): Promise<StoredAnswer> {
  const held = await ledger.made(db, reservationId);
  const body = held && (await again?.({ ...context, charge: chargeOf(held) }));
  if (body) return { status: context.answer.status, body };
  const message =
    'This request was carried out, but its answer was lost. Find the purchase by its reservationId in the account’s history.';
  throw new ParleyError('CONFLICT', message, { extra: { reservationId } });
}

async function answerOf(handle: NonNullable<Route['handle']>, context: Context): Promise<ExecutedRoute> {
  const body = await handle(context);
  const { status } = body instanceof RawAnswer ? body : context.answer;
  return { status, body, replayed: false, spent: null };
}

function keyedRequest(
  row: Route,
  { request, origin, params }: Context,
  principal: AccountPrincipal,
): KeyedRequest | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    const message = 'The Idempotency-Key is not valid. Use 1 to 255 printable ASCII characters.';
    throw new ParleyError('VALIDATION_ERROR', message, { reason: 'invalid_request' });
  }
  const { accountId } = principal;
  return { accountId, method: origin.method, path: pathOf(row, params), key, bodyHash: bodyHashOf(request) };
}

/**
 * The canonical path of a request. `/lookup`, `/lookup/` and `/Lookup` are the same route, so an Idempotency-Key must identify the same
 * request on all of them.
 */
function pathOf({ path }: Route, params: Record<string, string> | undefined): string {
  return `/api/v1${path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ''))}`;
}

interface Asked {
  principal: AccountPrincipal;
  units: number;
  credits: number;
}

/** Claims the Idempotency-Key and reserves the credits in one transaction, so that neither exists without the other. */
function begin(
  { price, summary, check }: Route,
  keyed: KeyedRequest | null,
  context: Context,
  { principal, units, credits }: Asked,
  { db, ledger, idempotency }: RouteExecutor,
): Promise<{ stored: StoredAnswer } | { bought: string; keyed: KeyedRequest } | { held: Held | null }> {
  return db.transaction(async (tx) => {
    const earlier = keyed && (await idempotency.begin(tx, keyed));
    if (earlier) return 'bought' in earlier ? { ...earlier, keyed } : { stored: earlier };
    await check?.(context, tx);
    if (!price || credits === 0) return { held: null };
    const held = await ledger.reserve(tx, {
      accountId: principal.accountId,
      service: price.service,
      amount: credits,
      description: `${summary} ${units} × ${price.unit}`,
      apiKeyPrefix: principal.kind === 'key' ? principal.key.prefix : null,
    });
    if (keyed) await idempotency.attach(tx, keyed, held.id);
    return { held };
  });
}

/** Renews the leases of the key and the reservation while the handler runs. */
function keepHolding(
  { db, ledger, idempotency, leaseMs }: RouteExecutor,
  claim: Claim | null,
  held: Held | null,
  { log }: Context,
): () => void {
  const keep = async () => {
    if (claim) await idempotency.keep(db, claim);
    if (held) await ledger.keep(db, held.id);
  };
  const timer = setInterval(() => {
    keep().catch((err: unknown) => log.warn({ err }, 'renewing the lease of a running request failed'));
  }, leaseMs / 3);
  return () => clearInterval(timer);
}

async function succeed(
  answer: StoredAnswer,
  claim: Claim | null,
  held: Held | null,
  { log }: Context,
  { db, ledger, idempotency }: RouteExecutor,
): Promise<void> {
  await db.transaction(async (tx) => {
    // All code locks the key before the reservation, to avoid deadlocks.
    if (claim) await idempotency.finish(tx, claim, answer);
    if (held && !(await ledger.capture(tx, held.id)) && (await ledger.wasReleased(tx, held.id)))
      log.error({ reservation: held.id }, 'reservation released while its request was still running');
  });
}

/**
 * Releases the credits of a failed request. Stores a refusal under the Idempotency-Key, but frees the key after a server error or a rate
 * limit, so that the client can retry.
 */
async function fail(
  error: unknown,
  claim: Claim | null,
  held: Held | null,
  { origin, log }: Context,
  { db, ledger, idempotency }: RouteExecutor,
): Promise<void> {
  const { status, body } = toHttpError(error, origin.requestId);
  try {
    await db.transaction(async (tx) => {
      const isRefused = status < 500 && status !== 429;
      if (claim && isRefused) await idempotency.finish(tx, claim, { status, body });
      if (claim && !isRefused) await idempotency.forget(tx, claim);
      if (held) await ledger.release(tx, held.id, 'Refunded: request failed');
    });
  } catch (err) {
    // The scheduled job settles the reservation later. The client gets the original error.
    log.error({ err }, 'settling a failed request failed');
  }
}
