import { and, asc, eq, inArray, isNull, lt, lte } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Database } from '../../platform/database/database.ts';
import { KeyedQueue, type QueueKey } from './KeyedQueue.ts';
import { webhookDeliveries, webhooks, type DeliveryRow, type WebhookRow } from './tables.ts';
import type { WebhookAnswer, WebhookClient } from './WebhookClient.ts';
import type { WebhookSecrets } from './WebhookSecrets.ts';

export const deliveryJob = 'webhook.delivery';
const limit = { key: 4, owner: 16, all: 256 };
/** Added to an attempt's timeout. When both have passed, the process that made the attempt is certainly done with it. */
const slackMs = 2_000;
/** How long a delivery may wait for a slot of its queue until its scheduled job checks it again, in case the process has died. */
const waitMs = 60_000;
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
 * Delivers events to webhooks. Each event has a row and a scheduled job. The job only wakes the queue of its number, so a slow receiver
 * delays neither other receivers nor other jobs. While a process makes an attempt, the row contains a deadline. If the deadline passes,
 * another process makes the next attempt. So each event is delivered at least once, always with the same webhook-id.
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
    deps.jobs.on(deliveryJob, ({ subject }) => this.#wake(subject));
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
      const [row] = await tx
        .select()
        .from(webhookDeliveries)
        .where(eq(webhookDeliveries.id, id))
        .for('update');
      if (!row || row.settledAt) return null;
      const { numberId, accountId, deliveringUntil, nextAttemptAt } = row;
      const busyUntil = deliveringUntil ? deliveringUntil.getTime() + slackMs : 0;
      const from = Math.max(busyUntil, nextAttemptAt?.getTime() ?? 0);
      const now = Date.now();
      if (from > now) {
        await jobs.set(tx, deliveryJob, id, new Date(from));
        return null;
      }
      if (row.status === 'delivering')
        await tx
          .update(webhookDeliveries)
          .set({ status: 'pending', deliveringUntil: null, nextAttemptAt: new Date(now) })
          .where(isAttempt(row));
      await jobs.set(tx, deliveryJob, id, new Date(now + waitMs * (1 + Math.random())));
      return { key: numberId, owner: accountId };
    });
    if (key) this.#queue.wake(key);
  }

  #claim({ key: numberId }: QueueKey, slots: number): Promise<DeliveryRow[]> {
    const { db, jobs, timeoutMs } = this.#deps;
    return db.transaction(async (tx) => {
      const now = new Date();
      const next = await tx
        .select({ id: webhookDeliveries.id })
        .from(webhookDeliveries)
        .where(
          and(
            eq(webhookDeliveries.numberId, numberId),
            eq(webhookDeliveries.status, 'pending'),
            lte(webhookDeliveries.nextAttemptAt, now),
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
      for (const id of ids) await jobs.set(tx, deliveryJob, id, new Date(until.getTime() + slackMs));
      return rows.sort((one, other) => one.seq - other.seq);
    });
  }

  async #deliver(row: DeliveryRow): Promise<void> {
    const { db, client, timeoutMs } = this.#deps;
    const [webhook] = await db.select().from(webhooks).where(eq(webhooks.numberId, row.numberId));
    if (!webhook) return this.#settle(row, { status: 'failed', error: 'webhook_removed' });
    if (webhook.disabledAt) return this.#settle(row, { status: 'failed', error: 'webhook_disabled' });
    const secrets = this.#open(webhook);
    if (!secrets) return this.#settle(row, { status: 'failed', error: 'secret_unreadable' });
    // If this process was suspended, it may be too late: another one could take over the delivery during the attempt.
    if (Date.now() > (row.deliveringUntil?.getTime() ?? 0) - timeoutMs) return this.#putBack(row);
    let answer: WebhookAnswer;
    try {
      const { id, body } = row;
      answer = await client.post(webhook.url, { id, body, secrets }, this.#closing.signal);
    } catch {
      return this.#putBack(row);
    }
    await this.#answered(row, webhook, answer);
  }

  #open(webhook: WebhookRow): string[] | null {
    try {
      return this.#deps.secrets.open(webhook);
    } catch (err) {
      this.#deps.log.error(
        { err, number: webhook.numberId },
        'webhook secret is unreadable: check whether SECRET_KEY has changed',
      );
      return null;
    }
  }

  async #answered(
    row: DeliveryRow,
    webhook: WebhookRow,
    { status, body, error }: WebhookAnswer,
  ): Promise<void> {
    const { log, retrySeconds } = this.#deps;
    const attempts = row.attempts + 1;
    const seen = { responseStatus: status, responseBody: body, error };
    const isDone = status !== null && status >= 200 && status <= 299;
    log.debug({ event: row.id, number: row.numberId, status, error, attempts }, 'webhook attempted');
    if (isDone) return this.#settle(row, { ...seen, status: 'delivered' }, attempts);
    if (status === 410) return this.#disable(row, webhook, { ...seen, status: 'failed' }, attempts);
    const nextAttemptAt = nextAttempt(retrySeconds, attempts, new Date());
    if (nextAttemptAt) return this.#settle(row, { ...seen, status: 'pending', nextAttemptAt }, attempts);
    log.info({ event: row.id, number: row.numberId, attempts }, 'webhook delivery failed permanently');
    return this.#settle(row, { ...seen, status: 'failed' }, attempts);
  }

  #settle(row: DeliveryRow, outcome: Outcome, attempts?: number): Promise<void> {
    return this.#deps.db.transaction(async (tx) => {
      await this.#write(tx, row, outcome, attempts);
    });
  }

  /** Disables a webhook that answered 410, and gives up its queued deliveries. */
  async #disable(row: DeliveryRow, webhook: WebhookRow, outcome: Outcome, attempts: number): Promise<void> {
    const { db, log } = this.#deps;
    await db.transaction(async (tx) => {
      if (!(await this.#write(tx, row, outcome, attempts))) return;
      const { numberId, url } = webhook;
      const [disabled] = await tx
        .update(webhooks)
        .set({ disabledAt: new Date() })
        // If the webhook was changed in the meantime, the new URL has not answered 410.
        .where(and(eq(webhooks.numberId, numberId), eq(webhooks.url, url), isNull(webhooks.disabledAt)))
        .returning({ numberId: webhooks.numberId });
      if (!disabled) return;
      await giveUp(tx, numberId, 'webhook_disabled');
      log.info({ number: numberId }, 'webhook disabled: it answered 410');
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
    if (next) await jobs.set(tx, deliveryJob, row.id, next);
    else await jobs.cancel(tx, deliveryJob, row.id);
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

/** Gives up the queued deliveries of a webhook. Their scheduled jobs will find nothing left to do. */
export async function giveUp(tx: Executor, numberId: string, error: string): Promise<void> {
  await tx
    .update(webhookDeliveries)
    .set({ status: 'failed', error, nextAttemptAt: null, settledAt: new Date() })
    .where(and(eq(webhookDeliveries.numberId, numberId), eq(webhookDeliveries.status, 'pending')));
}

/** Deletes old rows of the delivery log. */
export async function removeSettled(executor: Executor, before: Date): Promise<void> {
  await executor.delete(webhookDeliveries).where(lt(webhookDeliveries.settledAt, before));
}

/**
 * The maximum random delay of an attempt, as a share of its planned delay. It keeps deliveries that failed together from being repeated
 * together.
 */
const jitter = 0.1;

/**
 * The time of the next attempt; null after the last one.
 * @param attempts the number of failed attempts
 */
function nextAttempt(planSeconds: number[], attempts: number, now: Date): Date | null {
  const seconds = planSeconds[attempts - 1];
  if (seconds === undefined) return null;
  return new Date(now.getTime() + seconds * 1_000 * (1 + Math.random() * jitter));
}
