import { and, asc, eq, isNull, lte, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { GroupCommit, retryConflicts } from '../../platform/database/GroupCommit.ts';
import { rescheduled, type ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Database } from '../../platform/database/database.ts';
import { deliveryMetrics } from '../../platform/metrics/metrics.ts';
import { isOneOf } from '../../platform/database/isOneOf.ts';
import { Announcements } from './Announcements.ts';
import { claimDeliveries, isItsTurn, type Wanted } from './claimDeliveries.ts';
import { giveUp } from './giveUp.ts';
import { KeyedQueue, type QueueKey } from './KeyedQueue.ts';
import {
  deliveryJobs,
  disable,
  findReceivers,
  jobOf,
  lockReceiver,
  receiverIdOf,
  setJobs,
  type Addressed,
  type Receiver,
} from './receivers.ts';
import { parkDeliveries } from './parkDeliveries.ts';
import { settleDeliveries, type Attempt, type Outcome } from './settleDeliveries.ts';
import { webhookDeliveries, type DeliveryRow } from './tables.ts';
import type { WebhookAnswer, WebhookClient } from './WebhookClient.ts';
import type { WebhookSecrets } from './WebhookSecrets.ts';

const limit = { key: 4, owner: 16, ownerMost: 48, all: 1_024 };
/** The maximum number of deliveries, keys or receivers in one statement. */
const together = 100;
/** Added to an attempt's timeout. When both have passed, the process that made the attempt is certainly done with it. */
const slackMs = 2_000;
/** How long a delivery may wait for a slot of its queue until its scheduled job checks it again, in case the process has died. */
const waitMs = 60_000;
/** When the scheduled job of a delivery wakes its queue, in case the process that stored it has died, or its transaction took very long. */
const wakeByJobMs = 3_000;
/** How long a stopping server waits for the answers of receivers. */
const closingMs = 2_000;

/** What became of a delivery whose job ran: its job has a new time or was cancelled, nothing is left to do, or #wake() has to look at it. */
type Woken = 'scheduled' | 'settled' | 'other';

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

/**
 * Delivers events to the webhooks of numbers and to endpoints. Each delivery has a row and, unless it is parked, a scheduled job. The process
 * that stores the row wakes the queue of its receiver a moment later. The job does the same after some seconds, if the delivery is still
 * waiting. It only wakes the queue, so a slow receiver delays neither other receivers nor other jobs. While a process makes an attempt, the
 * row contains a deadline. If the deadline passes, another process makes the next attempt. So each event is delivered at least once, always
 * with the same webhook-id.
 *
 * Deliveries of all receivers that are woken, claimed or settled at the same time share a transaction. A receiver that let an attempt time
 * out is slow until it answers again: it gets one attempt at a time, and all slow ones together leave half of the slots to the others.
 *
 * Deliveries to an endpoint with the same order key are made one after the other. One whose turn has not come is parked: it has no time of
 * its next attempt and no job. Whatever settles its predecessor sets both.
 */
export class DeliveryQueue {
  readonly #deps: QueueDeps;
  readonly #queue: KeyedQueue<DeliveryRow>;
  readonly #closing = new AbortController();
  readonly #slow = new Set<string>();
  readonly #announcements: Announcements;
  readonly #wakes: GroupCommit<string, Woken>;
  readonly #receivers: GroupCommit<string, Receiver | undefined>;
  readonly #attempts: GroupCommit<Attempt, boolean>;

  /** @param deps.jobs must not have started yet, because a handler is registered here */
  constructor(deps: QueueDeps) {
    this.#deps = deps;
    const { db, jobs, timeoutMs } = deps;
    const claims = new GroupCommit({
      size: together,
      write: (wanted: Wanted[]) =>
        db.transaction((tx) => claimDeliveries(tx, jobs, wanted, timeoutMs + slackMs, slackMs)),
    });
    this.#wakes = new GroupCommit({ size: together, write: (ids) => this.#wakeAll(ids) });
    this.#receivers = new GroupCommit({ size: together, write: (ids) => findReceivers(db, ids) });
    this.#attempts = new GroupCommit({
      size: together,
      write: (attempts) => retryConflicts(() => db.transaction((tx) => settleDeliveries(tx, jobs, attempts))),
    });
    this.#queue = new KeyedQueue({
      limit,
      isSlow: ({ key }) => this.#slow.has(key),
      claim: ({ key: receiverId }, slots) => claims.run({ receiverId, slots }),
      run: (row) => this.#deliver(row),
      log: deps.log,
    });
    this.#announcements = new Announcements((keys) => this.#queue.wakeAll(keys));
    for (const kind of Object.values(deliveryJobs))
      jobs.on(kind, async ({ subject }) => {
        const state = await this.#wakes.run(subject);
        if (state === 'scheduled') return rescheduled;
        return state === 'other' ? this.#wake(subject) : undefined;
      });
  }

  /**
   * Announces that a transaction of this process stores deliveries to these receivers.
   * @returns when the scheduled jobs of the deliveries have to run
   */
  announce(receivers: QueueKey[]): Date {
    this.#announcements.add(receivers);
    return new Date(Date.now() + wakeByJobMs);
  }

  /** Gives running attempts a moment to finish. Those that do not finish are queued again and are repeated after the next start. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#closing.abort(), closingMs);
    await this.#queue.close();
    clearTimeout(timer);
  }

  /** Wakes the queues of deliveries that are due and whose turn it is, and parks those whose turn has not come. @returns the state of each */
  async #wakeAll(ids: string[]): Promise<Woken[]> {
    const { db, jobs } = this.#deps;
    const { id, numberId, endpointId, accountId, status, nextAttemptAt, seq } = webhookDeliveries;
    const now = new Date();
    const { ready, parked, left } = await db.transaction(async (tx) => {
      const rows = await tx
        .select({ id, numberId, endpointId, accountId })
        .from(webhookDeliveries)
        .where(and(isOneOf(id, ids), eq(status, 'pending'), lte(nextAttemptAt, now), isItsTurn))
        .orderBy(asc(seq))
        .for('update', { skipLocked: true });
      await setJobs(tx, jobs, rows, new Date(now.getTime() + waitMs * (1 + Math.random())));
      const isReady = new Set(rows.map((row) => row.id));
      const others = ids.filter((each) => !isReady.has(each));
      const waiting = await parkDeliveries(tx, jobs, others);
      const rest = others.filter((each) => !waiting.ids.has(each));
      return { ready: rows, parked: waiting, left: rest.length === 0 ? [] : await unsettled(tx, rest) };
    });
    this.#queue.wakeAll([...ready, ...parked.firsts].map(keyOf));
    // The queue may have claimed a delivery after its job was claimed. That moved the job, and ended its lease.
    const scheduled = new Set([
      ...ready.map((row) => row.id),
      ...parked.ids,
      ...left.filter((row) => row.isScheduled).map((row) => row.id),
    ]);
    const isLeft = new Set(left.map((row) => row.id));
    return ids.map((each) => (scheduled.has(each) ? 'scheduled' : isLeft.has(each) ? 'other' : 'settled'));
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

  async #deliver(row: DeliveryRow): Promise<void> {
    const { client, timeoutMs } = this.#deps;
    const receiver = await this.#receivers.run(receiverIdOf(row));
    if (!receiver) this.#slow.delete(receiverIdOf(row));
    if (!receiver) return this.#settle(row, { status: 'failed', error: 'webhook_removed' });
    if (receiver.disabledAt) return this.#settle(row, { status: 'failed', error: 'webhook_disabled' });
    const secrets = this.#open(receiver);
    // Another node may have the right key, or the owner sets a new secret until the last attempt.
    if (!secrets)
      return this.#answered(row, receiver, { status: null, body: null, error: 'secret_unreadable' });
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
    if (error === 'timeout') this.#slow.add(receiver.id);
    else this.#slow.delete(receiver.id);
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

  async #settle(row: DeliveryRow, outcome: Outcome, attempts = row.attempts): Promise<void> {
    const isMine = await this.#attempts.run({ row, outcome, attempts });
    if (isMine) measureOutcome(row, outcome.status);
    // The next delivery in order may be claimed now.
    if (row.orderKey !== null && outcome.status !== 'pending') this.#queue.wake(keyOf(row));
  }

  /** Disables a receiver that answered 410, and gives up its queued deliveries. */
  async #disable(row: DeliveryRow, receiver: Receiver, outcome: Outcome, attempts: number): Promise<void> {
    const { db, jobs, log } = this.#deps;
    const isMine = await db.transaction(async (tx) => {
      // Who changes or removes the receiver locks it before its deliveries as well.
      await lockReceiver(tx, receiver.id);
      const [isSettled = false] = await settleDeliveries(tx, jobs, [{ row, outcome, attempts }]);
      // If the receiver was changed in the meantime, the new URL has not answered 410.
      if (!isSettled || !(await disable(tx, receiver))) return isSettled;
      await giveUp(tx, receiver.id, 'webhook_disabled');
      log.info({ receiver: receiver.id }, 'webhook disabled: it answered 410');
      return true;
    });
    if (isMine) measureOutcome(row, outcome.status);
  }

  /** Queues the delivery again without counting the attempt. */
  #putBack(row: DeliveryRow): Promise<void> {
    return this.#settle(row, { status: 'pending', nextAttemptAt: new Date() });
  }
}

/** The clock of the database, which made the time of the event, may be ahead of this machine's. A sum that falls would look like a restart. */
function measureOutcome({ createdAt }: DeliveryRow, status: Outcome['status']): void {
  if (status === 'pending') return;
  const seconds = Math.max(0, Date.now() - createdAt.getTime()) / 1_000;
  deliveryMetrics.webhooks.observe({ outcome: status }, seconds);
}

/** Those of the deliveries that are not settled, and whether the job of each has a time to come, by the clock that jobs go by. */
const unsettled = (tx: Executor, ids: string[]) => {
  const { id, settledAt } = webhookDeliveries;
  const isScheduled = sql<boolean>`EXISTS (
    SELECT FROM due WHERE kind = ANY(${sql.param(Object.values(deliveryJobs))}::text[]) AND subject = ${id} AND due_at > clock_timestamp())`;
  return tx
    .select({ id, isScheduled })
    .from(webhookDeliveries)
    .where(and(isOneOf(id, ids), isNull(settledAt)));
};

/** Matches the delivery only while this attempt is the current one. */
const isAttempt = ({ id, deliveringUntil }: DeliveryRow) =>
  and(
    eq(webhookDeliveries.id, id),
    eq(webhookDeliveries.status, 'delivering'),
    deliveringUntil ? eq(webhookDeliveries.deliveringUntil, deliveringUntil) : undefined,
  );

const keyOf = (row: Addressed & { accountId: string }): QueueKey => ({
  key: receiverIdOf(row),
  owner: row.accountId,
});

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
