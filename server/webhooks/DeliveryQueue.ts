import { and, asc, eq, inArray, isNull, lte, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Database } from '../../platform/database/database.ts';
import { deliveryMetrics } from '../../platform/metrics/metrics.ts';
import { giveUp } from './giveUp.ts';
import { KeyedQueue, type QueueKey } from './KeyedQueue.ts';
import {
  deliveryJobs,
  disable,
  findReceiver,
  isTo,
  jobOf,
  receiverIdOf,
  type Receiver,
} from './receivers.ts';
import { webhookDeliveries, type DeliveryRow } from './tables.ts';
import type { WebhookAnswer, WebhookClient } from './WebhookClient.ts';
import type { WebhookSecrets } from './WebhookSecrets.ts';

const limit = { key: 4, owner: 16, ownerMost: 48, all: 1_024 };
/** Added to an attempt's timeout. When both have passed, the process that made the attempt is certainly done with it. */
const slackMs = 2_000;
/** How long a delivery may wait for a slot of its queue until its scheduled job checks it again, in case the process has died. */
const waitMs = 60_000;
/** After this time, the scheduled job of a delivery whose predecessor was settled wakes its queue, in case the process has died. */
const nextMs = 3_000;
/** How long a stopping server waits for the answers of receivers. */
const closingMs = 2_000;

interface QueueDeps {
  db: Database;
  jobs: ScheduledJobs;
  client: WebhookClient;
  secrets: WebhookSecrets;
  /** How long an attempt may take. */
  timeoutMs: number;
  /** The delays before the second and later attempts, in seconds. */
  retrySeconds: number[];
  log: Logger;
}

/** The result of an attempt. */
type Outcome = Partial<Pick<DeliveryRow, 'responseStatus' | 'responseBody' | 'error'>> &
  ({ status: 'delivered' | 'failed' } | { status: 'pending'; nextAttemptAt: Date });

/**
 * Delivers events to the webhooks of numbers and to endpoints. Each delivery has a row and a scheduled job. The job only wakes the queue of
 * its receiver, so a slow receiver delays neither other receivers nor other jobs. While a process makes an attempt, the row contains a
 * deadline. If the deadline passes, another process makes the next attempt. So each event is delivered at least once, always with the same
 * webhook-id.
 *
 * Deliveries to an endpoint with the same order key are made one after the other. One whose turn has not come is parked: it has no time of
 * its next attempt and no job. Whatever settles its predecessor sets both.
 */
export class DeliveryQueue {
  readonly #deps: QueueDeps;
  readonly #queue: KeyedQueue<DeliveryRow>;
  readonly #closing = new AbortController();

  /** @param deps.jobs must not have started yet, because a handler is registered here */
  constructor(deps: QueueDeps) {
    this.#deps = deps;
    this.#queue = new KeyedQueue({
      limit,
      claim: (key, slots) => this.#claim(key, slots),
      run: (row) => this.#deliver(row),
      log: deps.log,
    });
    for (const kind of Object.values(deliveryJobs)) deps.jobs.on(kind, ({ subject }) => this.#wake(subject));
  }

  /** Gives running attempts a moment to finish. Those that do not finish are queued again and are repeated after the next start. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#closing.abort(), closingMs);
    await this.#queue.close();
    clearTimeout(timer);
  }

  async #wake(id: string): Promise<void> {
    const { db, jobs } = this.#deps;
    const key = await db.transaction(async (tx): Promise<QueueKey | null> => {
      const row = await lockOrPark(tx, id);
      if (!row) return null;
      // While this transaction had locked the row of the first delivery, a claim may have skipped it.
      if (row.id !== id) return keyOf(row);
      const { deliveringUntil, nextAttemptAt } = row;
      const busyUntil = deliveringUntil ? deliveringUntil.getTime() + slackMs : 0;
      const from = Math.max(busyUntil, nextAttemptAt?.getTime() ?? 0);
      const now = Date.now();
      if (from > now) {
        await jobs.set(tx, jobOf(row), id, new Date(from));
        return null;
      }
      if (row.status === 'delivering')
        await tx
          .update(webhookDeliveries)
          .set({ status: 'pending', deliveringUntil: null, nextAttemptAt: new Date(now) })
          .where(isAttempt(row));
      await jobs.set(tx, jobOf(row), id, new Date(now + waitMs * (1 + Math.random())));
      return keyOf(row);
    });
    if (key) this.#queue.wake(key);
  }

  #claim({ key: receiverId }: QueueKey, slots: number): Promise<DeliveryRow[]> {
    const { db, jobs, timeoutMs } = this.#deps;
    return db.transaction(async (tx) => {
      const now = new Date();
      const next = await tx
        .select({ id: webhookDeliveries.id })
        .from(webhookDeliveries)
        .where(
          and(
            isTo(receiverId),
            eq(webhookDeliveries.status, 'pending'),
            lte(webhookDeliveries.nextAttemptAt, now),
            isItsTurn,
          ),
        )
        .orderBy(asc(webhookDeliveries.nextAttemptAt), asc(webhookDeliveries.seq))
        .limit(slots)
        .for('update', { skipLocked: true });
      if (next.length === 0) return [];
      const ids = next.map(({ id }) => id);
      const until = new Date(now.getTime() + timeoutMs + slackMs);
      const rows = await tx
        .update(webhookDeliveries)
        .set({ status: 'delivering', deliveringUntil: until, nextAttemptAt: null, lastAttemptAt: now })
        .where(inArray(webhookDeliveries.id, ids))
        .returning();
      const [first] = rows;
      if (first) await jobs.setAll(tx, jobOf(first), ids, new Date(until.getTime() + slackMs));
      return rows.sort((one, other) => one.seq - other.seq);
    });
  }

  async #deliver(row: DeliveryRow): Promise<void> {
    const { db, client, timeoutMs } = this.#deps;
    const receiver = await findReceiver(db, receiverIdOf(row));
    if (!receiver) return this.#settle(row, { status: 'failed', error: 'webhook_removed' });
    if (receiver.disabledAt) return this.#settle(row, { status: 'failed', error: 'webhook_disabled' });
    const secrets = this.#open(receiver);
    if (!secrets) return this.#settle(row, { status: 'failed', error: 'secret_unreadable' });
    // If this process was suspended, it may be too late: another one could take over the delivery during the attempt.
    if (Date.now() > (row.deliveringUntil?.getTime() ?? 0) - timeoutMs) return this.#putBack(row);
    let answer: WebhookAnswer;
    try {
      const { id, eventId, body } = row;
      answer = await client.post(receiver.url, { id: eventId ?? id, body, secrets }, this.#closing.signal);
    } catch {
      return this.#putBack(row);
    }
    await this.#answered(row, receiver, answer);
  }

  #open(receiver: Receiver): string[] | null {
    try {
      return this.#deps.secrets.open(receiver);
    } catch (err) {
      this.#deps.log.error(
        { err, receiver: receiver.id },
        'webhook secret is unreadable: check whether SECRET_KEY has changed',
      );
      return null;
    }
  }

  async #answered(
    row: DeliveryRow,
    receiver: Receiver,
    { status, body, error }: WebhookAnswer,
  ): Promise<void> {
    const { log } = this.#deps;
    const attempts = row.attempts + 1;
    const seen = { responseStatus: status, responseBody: body, error };
    const isDone = status !== null && status >= 200 && status <= 299;
    deliveryMetrics.webhookAttempts.inc({ outcome: isDone ? 'ok' : 'error' });
    log.debug({ delivery: row.id, receiver: receiver.id, status, error, attempts }, 'webhook attempted');
    if (isDone) return this.#settle(row, { ...seen, status: 'delivered' }, attempts);
    if (status === 410) return this.#disable(row, receiver, { ...seen, status: 'failed' }, attempts);
    const nextAttemptAt = nextAttempt(this.#deps, row, new Date());
    if (nextAttemptAt) return this.#settle(row, { ...seen, status: 'pending', nextAttemptAt }, attempts);
    log.info({ delivery: row.id, receiver: receiver.id, attempts }, 'webhook delivery failed permanently');
    return this.#settle(row, { ...seen, status: 'failed' }, attempts);
  }

  async #settle(row: DeliveryRow, outcome: Outcome, attempts?: number): Promise<void> {
    const isMine = await this.#deps.db.transaction((tx) => this.#write(tx, row, outcome, attempts));
    if (isMine && outcome.status !== 'pending')
      deliveryMetrics.webhooks.observe(
        { outcome: outcome.status },
        (Date.now() - row.createdAt.getTime()) / 1_000,
      );
    // The next delivery in order may be claimed now.
    if (row.orderKey !== null && outcome.status !== 'pending') this.#queue.wake(keyOf(row));
  }

  /** Disables a receiver that answered 410, and gives up its queued deliveries. */
  async #disable(row: DeliveryRow, receiver: Receiver, outcome: Outcome, attempts: number): Promise<void> {
    const { db, log } = this.#deps;
    await db.transaction(async (tx) => {
      if (!(await this.#write(tx, row, outcome, attempts))) return;
      // If the receiver was changed in the meantime, the new URL has not answered 410.
      if (!(await disable(tx, receiver))) return;
      await giveUp(tx, receiver.id, 'webhook_disabled');
      log.info({ receiver: receiver.id }, 'webhook disabled: it answered 410');
    });
  }

  /** @returns false if another process has taken over the delivery */
  async #write(tx: Executor, row: DeliveryRow, outcome: Outcome, attempts = row.attempts): Promise<boolean> {
    const { jobs } = this.#deps;
    const next = outcome.status === 'pending' ? outcome.nextAttemptAt : null;
    const [mine] = await tx
      .update(webhookDeliveries)
      .set({
        ...outcome,
        attempts,
        deliveringUntil: null,
        nextAttemptAt: next,
        settledAt: next ? null : new Date(),
      })
      .where(isAttempt(row))
      .returning({ id: webhookDeliveries.id });
    if (!mine) return false;
    if (next) await jobs.set(tx, jobOf(row), row.id, next);
    else await jobs.cancel(tx, jobOf(row), row.id);
    const successor = next ? null : await unparkNext(tx, row);
    if (successor !== null) await jobs.set(tx, jobOf(row), successor, new Date(Date.now() + nextMs));
    return true;
  }

  /** Queues the delivery again without counting the attempt. */
  #putBack(row: DeliveryRow): Promise<void> {
    return this.#settle(row, { status: 'pending', nextAttemptAt: new Date() });
  }
}

/** Matches the delivery only while this attempt is the current one. */
const isAttempt = ({ id, deliveringUntil }: DeliveryRow) =>
  and(
    eq(webhookDeliveries.id, id),
    eq(webhookDeliveries.status, 'delivering'),
    deliveringUntil ? eq(webhookDeliveries.deliveringUntil, deliveringUntil) : undefined,
  );

const keyOf = (row: DeliveryRow): QueueKey => ({ key: receiverIdOf(row), owner: row.accountId });

/** Whether no earlier delivery with the same order key is unsettled. */
const isItsTurn = sql`(${webhookDeliveries.orderKey} IS NULL OR NOT EXISTS (
  SELECT FROM webhook_deliveries earlier
  WHERE earlier.endpoint_id = ${webhookDeliveries.endpointId} AND earlier.order_key = ${webhookDeliveries.orderKey}
    AND earlier.seq < ${webhookDeliveries.seq} AND earlier.settled_at IS NULL))`;

/** Locks the first unsettled delivery with the order key of the given one. */
async function lockFirst(
  tx: Executor,
  { endpointId, orderKey }: Pick<DeliveryRow, 'endpointId' | 'orderKey'>,
): Promise<DeliveryRow | undefined> {
  if (endpointId === null || orderKey === null) return undefined;
  const { endpointId: endpoint, orderKey: key, settledAt, seq } = webhookDeliveries;
  const isLeft = and(eq(endpoint, endpointId), eq(key, orderKey), isNull(settledAt));
  const rows = tx.select().from(webhookDeliveries).where(isLeft).orderBy(asc(seq)).limit(1).for('update');
  return (await rows)[0];
}

/** Locks a delivery, unless it is settled. If an earlier one has to be settled first, locks that and parks this one. @returns the locked one */
async function lockOrPark(tx: Executor, id: string): Promise<DeliveryRow | null> {
  const isOne = eq(webhookDeliveries.id, id);
  const one = tx.select().from(webhookDeliveries).where(isOne);
  const [found] = await one;
  if (!found) return null;
  // The first one is locked before this one: rows are always locked in their order.
  const row = found.orderKey === null ? (await one.for('update'))[0] : await lockFirst(tx, found);
  if (!row || row.settledAt) return null;
  if (row.id !== id)
    await tx
      .update(webhookDeliveries)
      .set({ nextAttemptAt: null })
      .where(and(isOne, eq(webhookDeliveries.status, 'pending')));
  return row;
}

/** Makes the delivery that follows a settled one due. @returns its id; null if there is none */
async function unparkNext(tx: Executor, settled: DeliveryRow): Promise<string | null> {
  const next = await lockFirst(tx, settled);
  if (!next) return null;
  await tx
    .update(webhookDeliveries)
    .set({ nextAttemptAt: new Date() })
    .where(and(eq(webhookDeliveries.id, next.id), eq(webhookDeliveries.status, 'pending')));
  return next.id;
}

/**
 * The maximum random delay of an attempt, as a share of its planned delay. It keeps deliveries that failed together from being repeated
 * together.
 */
const jitter = 0.1;

/**
 * The time of the next attempt; null after the last one. Deliveries that wait for others get only one more attempt once the time of the
 * whole plan has passed since their event. Otherwise a receiver that has been away for days would never catch up.
 * @param row the delivery before the attempt that has failed
 */
function nextAttempt(
  { retrySeconds, timeoutMs }: Pick<QueueDeps, 'retrySeconds' | 'timeoutMs'>,
  row: DeliveryRow,
  now: Date,
): Date | null {
  const seconds = retrySeconds[row.attempts];
  if (seconds === undefined) return null;
  const longest = retrySeconds.map((each) => each * 1_000 * (1 + jitter) + timeoutMs + waitMs);
  const planEnds = longest.reduce((sum, each) => sum + each, row.createdAt.getTime());
  if (row.orderKey !== null && row.attempts > 0 && now.getTime() > planEnds) return null;
  return new Date(now.getTime() + seconds * 1_000 * (1 + Math.random() * jitter));
}
