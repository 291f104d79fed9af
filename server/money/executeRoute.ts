import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { toHttpError } from '../http/errors.ts';
import { RawAnswer } from '../http/RawAnswer.ts';
import type { Charge, Cost, Route, RouteContext } from '../http/Route.ts';
import type { Funding, StoredAnswer } from './Funding.ts';
import { renewWhile } from '../../platform/leases/renewWhile.ts';
import { retryConflicts } from '../../platform/database/GroupCommit.ts';
import type { SharedTransactions } from '../../platform/database/SharedTransactions.ts';

export interface ExecutedRoute extends StoredAnswer {
  replayed: boolean;
  /** What was charged; null if the request was free or its answer was replayed. */
  spent: Cost | null;
}

export interface ExecutorDeps {
  db: Database;
  /** Runs the work of requests that arrive together; null if each has a transaction of its own. */
  shared: SharedTransactions | null;
  /** How long a request stays locked after its process has died. */
  leaseMs: number;
}

type Context = RouteContext<never, never, never>;
type Served<Name extends 'handle' | 'work'> = Route & { [Key in Name]: NonNullable<Route[Key]> };

/**
 * Runs a route once per request, and charges its price.
 * @param funding null for a request that is free and has no Idempotency-Key
 */
export async function executeRoute(
  row: Route,
  context: Context,
  funding: Funding | null,
  deps: ExecutorDeps,
): Promise<ExecutedRoute> {
  const { handle, work } = row;
  if (work && funding) return executeWork({ ...row, work }, context, funding, deps);
  if (!handle) throw notServed();
  if (funding) return executeHandler({ ...row, handle }, context, funding, deps);
  await row.check?.(context, deps.db);
  const result = await handle(context);
  const body = isLastStep(result) ? await deps.db.transaction(result) : result;
  const { status } = body instanceof RawAnswer ? body : context.answer;
  return { status, body, replayed: false, spent: null };
}

/** Claims the request, does the work, charges the price and stores the answer in one transaction. */
async function executeWork(
  { work, price, isShared }: Served<'work'>,
  context: Context,
  funding: Funding,
  { db, shared }: ExecutorDeps,
): Promise<ExecutedRoute> {
  let isClaimed = false;
  const run = async (tx: Executor) => {
    const actions: (() => void)[] = [];
    const earlier = await funding.claim(tx);
    if (earlier && 'bought' in earlier) throw answerLost(earlier.bought.id);
    if (earlier) return { done: replayed(earlier), actions };
    isClaimed = true;
    let charging: Promise<Charge | null> | null = null;
    const pay = () => (charging ??= funding.charge(tx, 'debit'));
    const body = await work(context, { tx, pay, afterCommit: (act) => void actions.push(act) });
    const charge = await pay();
    const answer = { status: context.answer.status, body };
    await funding.finish(tx, answer);
    return { done: { ...answer, replayed: false, spent: charge && funding.cost }, actions };
  };
  try {
    const alone = () => retryConflicts(() => db.transaction(run));
    const { done, actions } = await (isShared && shared ? shared.run(run) : alone());
    for (const act of actions) act();
    return done;
  } catch (error) {
    // The claim was rolled back. A refusal before the price was paid leaves the key free, as a refusal by check() does.
    if (isClaimed && !price) await storeRefusal(error, context, funding, db);
    throw error;
  }
}

async function storeRefusal(error: unknown, context: Context, funding: Funding, db: Database) {
  const refusal = toHttpError(error, context.origin.requestId);
  if (!isFinal(refusal)) return;
  try {
    await db.transaction(async (tx) => {
      if (!(await funding.claim(tx))) await funding.finish(tx, refusal);
    });
  } catch (err) {
    context.log.warn({ err }, 'storing a refusal failed');
  }
}

/**
 * Checks the request, reserves the price, runs the handler under a lease, and then stores the answer and captures the reservation. If the
 * process of an earlier request died after the purchase, the handler runs with that charge, and answers with the purchase.
 */
async function executeHandler(
  { handle, check }: Served<'handle'>,
  context: Context,
  funding: Funding,
  { db, leaseMs }: ExecutorDeps,
): Promise<ExecutedRoute> {
  const { origin, principal } = context;
  // The request of a payer was checked before the payment.
  const checks = async () => (principal?.kind === 'x402' ? undefined : check?.(context, db));
  // Before the transaction, because a check may wait for a provider, and PostgreSQL ends a transaction that is idle.
  const [checked] = await Promise.allSettled([checks()]);
  const begin = async (tx: Executor) => {
    const earlier = await funding.claim(tx);
    if (earlier) return earlier;
    if (checked.status === 'rejected') throw checked.reason;
    return { charge: await funding.charge(tx, 'reserve') };
  };
  const begun = await retryConflicts(() => db.transaction(begin));
  if ('status' in begun) return replayed(begun);
  const charge = 'bought' in begun ? begun.bought : begun.charge;
  let result: unknown;
  try {
    context.charge = charge;
    const run = () => handle(context);
    const onFailed = (err: unknown) =>
      context.log.warn({ err }, 'renewing the lease of a running request failed');
    result = await renewWhile<unknown>(run, {
      seconds: leaseMs / 1_000,
      renew: () => funding.renew(),
      onFailed,
    });
  } catch (error) {
    const failure = toHttpError(error, origin.requestId);
    await funding.fail(failure, isFinal(failure)).catch((err: unknown) => {
      // The scheduled job settles the reservation later. The client gets the original error.
      context.log.error({ err }, 'settling a failed request failed');
    });
    throw error;
  }
  const end = async (tx: Executor) => {
    const body = isLastStep(result) ? await result(tx) : result;
    const answer = { status: context.answer.status, body };
    await funding.finish(tx, answer);
    return 'bought' in begun
      ? replayed(answer)
      : { ...answer, replayed: false, spent: charge && funding.cost };
  };
  return retryConflicts(() => db.transaction(end));
}

const isLastStep = (result: unknown): result is (tx: Executor) => Promise<unknown> =>
  typeof result === 'function';

const replayed = (answer: StoredAnswer): ExecutedRoute => ({ ...answer, replayed: true, spent: null });

/** Whether the answer to a failed request is stored. After a server error or a rate limit, the client can retry with the same key. */
const isFinal = ({ status }: StoredAnswer) => status < 500 && status !== 429;

/** For work that a process of an older release did before it died. This release commits such work with its answer. */
function answerLost(reservationId: string): ParleyError {
  const message =
    'This request was carried out, but its answer was lost. Find the purchase by its reservationId in the account’s history.';
  return new ParleyError('CONFLICT', message, { extra: { reservationId } });
}

export const notServed = () =>
  new ParleyError('SERVICE_UNAVAILABLE', 'This service is not configured on this server.');
